import { Type } from 'typebox';
import { FilterText, Nullable, PageQuery, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';

const ActorType = Type.Union([
  Type.Literal('user'),
  Type.Literal('admin'),
  Type.Literal('api_key'),
  Type.Literal('system'),
]);

export const AuditRecord = Type.Object({
  id: Uuid,
  occurred_at: TimestampOut,
  event: Type.String({
    description: '`RESOURCE.VERB`; with the suffix `_BY_ADMIN` if an admin of the platform acted on a tenant.',
  }),
  actor_type: ActorType,
  actor_id: Nullable(Type.String()),
  resource_type: Type.String(),
  resource_id: Nullable(Type.String()),
  request_id: Nullable(Type.String()),
  ip: Nullable(Type.String()),
  changes: Type.Array(Type.Object({ field: Type.String(), old: Type.Unknown(), new: Type.Unknown() })),
});

const filters = {
  actor_type: Type.Optional(ActorType),
  actor_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'The id of the actor: a user, an admin or an API key.' }),
  ),
  resource_type: Type.Optional(
    Type.String({ maxLength: 100, description: 'The type of the affected resource, such as `license`.' }),
  ),
  resource_id: Type.Optional(Type.String({ maxLength: 100, description: 'The id of the affected resource.' })),
  request_id: Type.Optional(
    Type.String({ maxLength: 128, description: 'The id of the request that caused the record.' }),
  ),
  from: Type.Optional(
    Type.Unsafe<string>({ ...TimestampIn, description: 'Return only records at this time or later.' }),
  ),
  to: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'Return only records before this time.' })),
};

export const AuditQuery = PageQuery({
  event: Type.Optional(Type.String({ maxLength: 100, description: 'The full event code, such as `LICENSE.RENEWED`.' })),
  ...filters,
});

export const PlatformAuditQuery = PageQuery({
  event: Type.Optional(
    FilterText(
      100,
      'The full event code, such as `TENANT.SUSPENDED`, or a prefix with its dot: `TENANT.` matches all of its codes.',
    ),
  ),
  ...filters,
  ip: Type.Optional(FilterText(64, 'The full IP address of the client.')),
});

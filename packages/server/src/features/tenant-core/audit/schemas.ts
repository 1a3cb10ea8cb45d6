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
  event: Type.String({ description: 'RESOURCE.VERB; with _BY_ADMIN when an admin did it to a tenant.' }),
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
  actor_id: Type.Optional(Type.String({ maxLength: 100, description: 'Who did it: a user, an admin or an API key.' })),
  resource_type: Type.Optional(Type.String({ maxLength: 100, description: 'To what it was done, such as `license`.' })),
  resource_id: Type.Optional(Type.String({ maxLength: 100, description: 'The id of the very thing.' })),
  request_id: Type.Optional(Type.String({ maxLength: 128, description: 'What one request did.' })),
  from: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'At this moment or later.' })),
  to: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'Before this moment.' })),
};

export const AuditQuery = PageQuery({
  event: Type.Optional(Type.String({ maxLength: 100, description: 'The whole code, such as `LICENSE.RENEWED`.' })),
  ...filters,
});

export const PlatformAuditQuery = PageQuery({
  event: Type.Optional(
    FilterText(
      100,
      'The whole code, such as `TENANT.SUSPENDED`, or what it begins with up to its dot: `TENANT.` finds all of them.',
    ),
  ),
  ...filters,
  ip: Type.Optional(FilterText(64, 'The address that it was done from, in full.')),
});

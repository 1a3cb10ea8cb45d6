import { Type } from 'typebox';
import { Nullable, PageQuery, TimestampIn, TimestampOut, Uuid } from '../../http/schema.ts';

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

export const AuditQuery = PageQuery({
  event: Type.Optional(Type.String({ maxLength: 100 })),
  actor_type: Type.Optional(ActorType),
  actor_id: Type.Optional(Type.String({ maxLength: 100 })),
  resource_type: Type.Optional(Type.String({ maxLength: 100 })),
  resource_id: Type.Optional(Type.String({ maxLength: 100 })),
  request_id: Type.Optional(Type.String({ maxLength: 128 })),
  from: Type.Optional(TimestampIn),
  to: Type.Optional(TimestampIn),
});

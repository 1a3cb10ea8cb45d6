import { Type } from 'typebox';
import { PageQuery, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { AdminRoleName } from '../../accounts/identity/schemas.ts';

export const BillingAuthorization = Type.Object({
  id: Uuid,
  occurred_at: TimestampOut,
  admin_id: Uuid,
  role: Type.Unsafe<string>({ ...AdminRoleName, description: 'The role that the admin had then.' }),
  method: Type.String(),
  path: Type.String({ description: 'As it was sent, without its query.' }),
  allowed: Type.Boolean(),
  request_id: Type.String(),
  ip: Type.String(),
});

export const BillingAuthorizationsQuery = PageQuery({
  admin_id: Type.Optional(Uuid),
  allowed: Type.Optional(Type.Boolean({ description: '`false`: what was refused; `true`: the writes that passed.' })),
  from: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'At this moment or later.' })),
  to: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'Before this moment.' })),
});

import { Type } from 'typebox';
import { PageQuery, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { AdminRoleName } from '../../accounts/identity/schemas.ts';

export const BillingAuthorization = Type.Object({
  id: Uuid,
  occurred_at: TimestampOut,
  admin_id: Uuid,
  role: Type.Unsafe<string>({ ...AdminRoleName, description: 'The role of the admin at the time of the request.' }),
  method: Type.String(),
  path: Type.String({ description: 'The path of the request, without the query string.' }),
  allowed: Type.Boolean(),
  request_id: Type.String(),
  ip: Type.String(),
});

export const BillingAuthorizationsQuery = PageQuery({
  admin_id: Type.Optional(Uuid),
  allowed: Type.Optional(
    Type.Boolean({ description: '`false` returns only refused requests, `true` only permitted writes.' }),
  ),
  from: Type.Optional(
    Type.Unsafe<string>({ ...TimestampIn, description: 'Return only entries at this time or later.' }),
  ),
  to: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'Return only entries before this time.' })),
});

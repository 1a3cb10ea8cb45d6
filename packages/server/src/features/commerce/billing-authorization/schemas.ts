import { Type } from 'typebox';
import { described, PageQuery, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { AdminRoleName } from '../../accounts/identity/schemas.ts';

export const BillingAuthorization = Type.Object(
  {
    id: Uuid,
    occurred_at: described(TimestampOut, 'When the request was decided.'),
    admin_id: Uuid,
    role: Type.Unsafe<string>(described(AdminRoleName, 'The role of the admin at the time of the request.')),
    method: Type.String({ description: 'The HTTP method.' }),
    path: Type.String({ description: 'The path of the request, without the query string.' }),
    allowed: Type.Boolean({ description: 'Whether the request was permitted.' }),
    request_id: Type.String(),
    ip: Type.String({ description: 'The IP address of the client.' }),
  },
  { title: 'BillingAuthorization', description: 'A decision of the billing guard.' },
);

export const BillingAuthorizationsQuery = PageQuery({
  admin_id: Type.Optional(described(Uuid, 'Return only requests of this admin.')),
  allowed: Type.Optional(
    Type.Boolean({ description: '`false` returns only refused requests, `true` only permitted writes.' }),
  ),
  from: Type.Optional(described(TimestampIn, 'Return only entries at this time or later.')),
  to: Type.Optional(described(TimestampIn, 'Return only entries before this time.')),
});

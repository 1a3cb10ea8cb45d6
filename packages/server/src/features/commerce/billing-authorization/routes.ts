import { type Static, Type } from 'typebox';
import type { BillingAuthorizationsTable } from '../../../db/tables/platform/payments.ts';
import { toPage } from '../../../http/cursor.ts';
import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { described, PageQuery, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { AdminRoleName } from '../../accounts/identity/schemas.ts';
import { listAuthorizations } from './service.ts';

const BillingAuthorization = Type.Object(
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

const BillingAuthorizationsQuery = PageQuery({
  admin_id: Type.Optional(described(Uuid, 'Return only requests of this admin.')),
  allowed: Type.Optional(
    Type.Boolean({ description: '`false` returns only refused requests, `true` only permitted writes.' }),
  ),
  from: Type.Optional(described(TimestampIn, 'Return only entries at this time or later.')),
  to: Type.Optional(described(TimestampIn, 'Return only entries before this time.')),
});

/** Registers the log of the billing guard: refused requests and permitted writes. */
export function billingAuthorizationRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/authorization-log', {
      operationId: 'adminListBillingDecisions',
      summary: 'List decisions of the billing guard',
      tags: ['Billing administration'],
      description: 'Every refused request below `/api/v1/admin/billing`, and every permitted write.',
      querystring: BillingAuthorizationsQuery,
      response: { 200: PageEnvelope(BillingAuthorization) },
      async handler({ request }) {
        const rows = await listAuthorizations(services.platform, request.query);
        const page = toPage(rows, request.query.limit, 'occurred_at');
        return successPage(request, { ...page, rows: page.rows.map(present) });
      },
    }),
  ];
}

function present(row: BillingAuthorizationsTable): Static<typeof BillingAuthorization> {
  return { ...row, allowed: row.allowed === 1 };
}

import type { Static } from 'typebox';
import type { BillingAuthorizationsTable } from '../../../db/tables/platform/billing-authorizations.ts';
import { toPage } from '../../../http/cursor.ts';
import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import type { Services } from '../../../services.ts';
import { listAuthorizations } from './queries.ts';
import { BillingAuthorization, BillingAuthorizationsQuery } from './schemas.ts';

/** Who was refused at the billing administration, and who changed something there. */
export function billingAuthorizationRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/authorization-log',
      schema: {
        summary: 'List decisions of the billing gate',
        tags: ['Billing administration'],
        description: 'Every request below `/api/v1/admin/billing` that was refused, and every write that passed.',
        querystring: BillingAuthorizationsQuery,
        response: { 200: PageEnvelope(BillingAuthorization) },
      },
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

import type { Static } from 'typebox';
import type { BillingAuthorizationsTable } from '../../../db/tables/platform/billing-authorizations.ts';
import { toPage } from '../../../http/cursor.ts';
import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import type { Services } from '../../../services.ts';
import { listAuthorizations } from './queries.ts';
import { BillingAuthorization, BillingAuthorizationsQuery } from './schemas.ts';

/** Registers the log of the billing guard: refused requests and permitted writes. */
export function billingAuthorizationRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/authorization-log',
      schema: {
        operationId: 'adminListBillingDecisions',
        summary: 'List decisions of the billing guard',
        tags: ['Billing administration'],
        description: 'Every refused request below `/api/v1/admin/billing`, and every permitted write.',
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

import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { AdminSubscription, SubscriptionsQuery } from './schemas.ts';
import { listSubscriptions, requireSubscription } from './service.ts';
import { presentAdminSubscription } from './subscription.ts';

const tags = ['Subscriptions'] as const;

/** Registers the routes on which admins read the subscriptions of all tenants. */
export function subscriptionRoutes({ platform }: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/subscriptions', {
      operationId: 'adminListSubscriptions',
      summary: 'List subscriptions',
      tags,
      querystring: SubscriptionsQuery,
      response: { 200: PageEnvelope(AdminSubscription) },
      async handler({ request }) {
        const page = toPage(await listSubscriptions(platform, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentAdminSubscription) });
      },
    }),
    adminRoute('GET', '/subscriptions/:id', {
      operationId: 'adminGetSubscription',
      summary: 'Read a subscription',
      tags,
      params: IdParams,
      response: { 200: Envelope(AdminSubscription) },
      async handler({ request }) {
        const row = await requireSubscription(platform, request.params.id);
        return success(request, presentAdminSubscription(row));
      },
    }),
  ];
}

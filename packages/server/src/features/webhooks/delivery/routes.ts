import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { DeliveriesQuery, Delivery, DeliverySummary } from '../endpoints/schemas.ts';
import { presentDeliverySummary } from '../endpoints/webhook.ts';
import { listDeliveries } from './queries.ts';
import { readDelivery, resendDelivery } from './service.ts';

const tags = ['Webhooks'] as const;
const oneDelivery = { 200: Envelope(Delivery) } as const;

/** What was sent to webhook endpoints, and what waits to be sent. */
export function webhookDeliveryRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: {
        summary: 'List webhook deliveries',
        tags,
        querystring: DeliveriesQuery,
        response: { 200: PageEnvelope(DeliverySummary) },
      },
      async handler({ request, tenant }) {
        const page = toPage(await listDeliveries(tenant.db, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentDeliverySummary) });
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/:id',
      schema: { summary: 'Read a webhook delivery with its attempts', tags, params: IdParams, response: oneDelivery },
      async handler({ request, tenant }) {
        return success(request, await readDelivery(tenant, request.params.id));
      },
    }),
    tenantRoute({
      method: 'POST',
      url: '/:id/resend',
      schema: {
        summary: 'Send a delivery again',
        tags,
        description: 'One attempt, at once. The schedule goes on afterwards if it has not ended.',
        params: IdParams,
        response: oneDelivery,
      },
      async handler({ request, tenant, actor }) {
        return success(request, await resendDelivery(services, tenant, actor, request.params.id));
      },
    }),
  ];
}

import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { presentDeliverySummary } from './delivery.ts';
import { listDeliveries } from './queries.ts';
import { recoverWebhook } from './recovery-service.ts';
import { DeliveriesQuery, Delivery, DeliverySummary, Recovered, RecoverWebhook } from './schemas.ts';
import { readDelivery, resendDelivery, testWebhook } from './service.ts';

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

/** What a tenant may have sent to one of its endpoints. */
export function webhookActionRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'POST',
      url: '/:id/test',
      schema: {
        summary: 'Send a test event',
        tags,
        description:
          'It goes out whatever the endpoint subscribes to. Answers its delivery, which is read again later.',
        params: IdParams,
        response: oneDelivery,
      },
      async handler({ request, tenant, actor }) {
        return success(request, await testWebhook(services, tenant, actor, request.params.id));
      },
    }),
    tenantRoute({
      method: 'POST',
      url: '/:id/recover',
      schema: {
        summary: 'Send missed events again',
        tags,
        description:
          'All events since a moment whose delivery failed or that the endpoint never got, such as those of before it existed.',
        params: IdParams,
        body: RecoverWebhook,
        response: { 200: Envelope(Recovered) },
      },
      async handler({ request, tenant, actor }) {
        const count = await recoverWebhook(services, tenant, actor, request.params.id, request.body);
        return success(request, { count });
      },
    }),
  ];
}

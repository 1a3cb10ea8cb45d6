import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { DeliveriesQuery, Delivery, DeliverySummary, Recovered, RecoverWebhook } from './schemas.ts';
import { readDeliveries, readDelivery, recoverWebhook, resendDelivery, testWebhook } from './service.ts';

const tags = ['Webhooks'] as const;
const oneDelivery = { 200: Envelope(Delivery) } as const;

/** Routes that read deliveries and resend them. */
export function webhookDeliveryRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listWebhookDeliveries',
      summary: 'List webhook deliveries',
      tags,
      querystring: DeliveriesQuery,
      response: { 200: PageEnvelope(DeliverySummary) },
      async handler({ request, tenant }) {
        return successPage(request, await readDeliveries(tenant, request.query));
      },
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getWebhookDelivery',
      summary: 'Read a webhook delivery with its attempts',
      tags,
      params: IdParams,
      response: oneDelivery,
      async handler({ request, tenant }) {
        return success(request, await readDelivery(tenant, request.params.id));
      },
    }),
    tenantRoute('POST', '/:id/resend', {
      operationId: 'resendWebhookDelivery',
      summary: 'Send a delivery again',
      tags,
      errors: ['WEBHOOK.DISABLED'],
      description: 'Makes one attempt immediately. An unfinished retry schedule continues afterwards.',
      params: IdParams,
      response: oneDelivery,
      async handler({ request, tenant, actor }) {
        return success(request, await resendDelivery(services, tenant, actor, request.params.id));
      },
    }),
  ];
}

/** Routes that send events to one endpoint. They are registered below the routes of endpoints. */
export function webhookActionRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/:id/test', {
      operationId: 'testWebhook',
      summary: 'Send a test event',
      tags,
      errors: ['WEBHOOK.DISABLED'],
      description:
        'The endpoint receives the event whatever it subscribes to. The response is the pending delivery; read it again later.',
      params: IdParams,
      response: oneDelivery,
      async handler({ request, tenant, actor }) {
        return success(request, await testWebhook(services, tenant, actor, request.params.id));
      },
    }),
    tenantRoute('POST', '/:id/recover', {
      operationId: 'recoverWebhook',
      summary: 'Send missed events again',
      tags,
      errors: ['WEBHOOK.DISABLED'],
      description:
        'Sends all events since a time whose delivery failed or that have no delivery to the endpoint, for example because it did not exist yet.',
      params: IdParams,
      body: RecoverWebhook,
      response: { 200: Envelope(Recovered) },
      async handler({ request, tenant, actor }) {
        const count = await recoverWebhook(services, tenant, actor, request.params.id, request.body);
        return success(request, { count });
      },
    }),
  ];
}

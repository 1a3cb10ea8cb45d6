import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { oneWithHealth, withHealth } from './health-service.ts';
import { listWebhooks } from './queries.ts';
import { CreateWebhook, UpdateWebhook, Webhook, WebhookQuery, WebhooksQuery, WebhookWithSecret } from './schemas.ts';
import {
  createWebhook,
  deleteWebhook,
  readWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WithSecret,
} from './service.ts';
import { presentWebhook } from './webhook.ts';

const tags = ['Webhooks'] as const;
const oneWebhook = { 200: Envelope(Webhook) } as const;

/** Routes that manage the webhook endpoints of a tenant. */
export function webhookRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listWebhooks',
      summary: 'List webhook endpoints',
      tags,
      querystring: WebhooksQuery,
      response: { 200: PageEnvelope(Webhook) },
      async handler({ request, tenant }) {
        const page = toPage(await listWebhooks(tenant.db, request.query), request.query.limit);
        if (request.query.include !== 'details') {
          return successPage(request, { ...page, rows: page.rows.map(presentWebhook) });
        }
        return successPage(request, { ...page, rows: await withHealth(services, tenant.db, page.rows) });
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createWebhook',
      summary: 'Create a webhook endpoint',
      tags,
      errors: ['PLAN.LIMIT_REACHED'],
      description: 'Only this response contains the secret. Deliveries follow the Standard Webhooks specification.',
      body: CreateWebhook,
      response: { 201: Envelope(WebhookWithSecret) },
      secretFields: ['secret'],
      create({ request, reply, tenant, actor }) {
        reply.header('cache-control', 'no-store');
        return createWebhook(services, tenant, actor, request.body);
      },
      answer: (made) => ({ status: 201, data: withSecret(made) }),
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getWebhook',
      summary: 'Read a webhook endpoint',
      tags,
      params: IdParams,
      querystring: WebhookQuery,
      response: oneWebhook,
      async handler({ request, tenant }) {
        const row = await readWebhook(tenant.db, request.params.id);
        if (request.query.include !== 'details') return success(request, presentWebhook(row));
        return success(request, await oneWithHealth(services, tenant.db, row));
      },
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updateWebhook',
      summary: 'Change a webhook endpoint',
      tags,
      description: 'Enabling an endpoint resets its failures. Disabling an endpoint fails its pending deliveries.',
      params: IdParams,
      body: UpdateWebhook,
      response: oneWebhook,
      async handler({ request, tenant, actor }) {
        const row = await updateWebhook(services, tenant, actor, request.params.id, request.body);
        return success(request, presentWebhook(row));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook endpoint',
      tags,
      description: 'Pending deliveries to the endpoint fail. Its delivery history stays readable.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deleteWebhook(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
    creatingRoute(services, '/:id/rotate-secret', {
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret',
      tags,
      description:
        'For 24 hours deliveries have two signatures: one with the new secret and one with the previous secret.',
      params: IdParams,
      response: { 200: Envelope(WebhookWithSecret) },
      secretFields: ['secret'],
      create({ request, reply, tenant, actor }) {
        reply.header('cache-control', 'no-store');
        return rotateWebhookSecret(services, tenant, actor, request.params.id);
      },
      answer: (rotated) => ({ status: 200, data: withSecret(rotated) }),
    }),
  ];
}

function withSecret({ row, secret }: WithSecret) {
  return { ...presentWebhook(row), secret };
}

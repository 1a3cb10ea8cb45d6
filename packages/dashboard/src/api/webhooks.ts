import type { Surface } from '../surfaces.ts';
import { detailed } from './body.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type WebhookEndpoint = Required<components['schemas']['WebhookEndpoint']>;
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliverySummary = components['schemas']['WebhookDeliverySummary'];
export type CreateWebhook = components['schemas']['CreateWebhookEndpoint'];

/** How often the state of deliveries is read while somebody looks at it. */
const liveMs = 3_000;

/** Query-key prefix of webhook endpoints. */
export const webhooksKey = (surface: Surface) => keyOf(surface, 'webhooks');

/** Query-key prefix of deliveries. */
export const deliveriesKey = (surface: Surface) => keyOf(surface, 'webhook-deliveries');

/** Reads one page of webhook endpoints with their health. */
export const webhooksQuery = onSurface.list('/api/v1/tenant/webhooks', ['webhooks', 'list'], {
  query: { include: 'details' },
  select: (page) => ({ ...page, data: page.data.map(detailed) }),
  refetchInterval: 10_000,
});

/** Reads one webhook endpoint with its health. */
export const webhookQuery = onSurface.one('/api/v1/tenant/webhooks/{id}', ['webhooks'], {
  query: { include: 'details' },
  select: detailed,
  refetchInterval: liveMs,
});

/** Reads one page of deliveries with their last attempts. */
export const deliveriesQuery = onSurface.list('/api/v1/tenant/webhook-deliveries', ['webhook-deliveries', 'list'], {
  refetchInterval: liveMs,
});

/** Reads one delivery with its attempts. */
export const deliveryQuery = onSurface.one('/api/v1/tenant/webhook-deliveries/{id}', ['webhook-deliveries'], {
  refetchInterval: liveMs,
});

/** Creates an endpoint. Only this response contains its secret. */
export const createWebhook = onSurface.POST('/api/v1/tenant/webhooks');

/** Changes the fields of an endpoint that `body` contains. */
export const updateWebhook = onSurface.PUT('/api/v1/tenant/webhooks/{id}');

/** Deletes an endpoint. */
export const deleteWebhook = onSurface.DELETE('/api/v1/tenant/webhooks/{id}');

/** Sends a test event and returns its pending delivery. */
export const testWebhook = onSurface.POST('/api/v1/tenant/webhooks/{id}/test');

/** Replaces the secret of an endpoint. Only this response contains the new one. */
export const rotateWebhookSecret = onSurface.POST('/api/v1/tenant/webhooks/{id}/rotate-secret');

/** Sends the events again that an endpoint missed, or counts them if `dry_run` is set. */
export const recoverWebhook = onSurface.POST('/api/v1/tenant/webhooks/{id}/recover');

/** Makes one attempt of a delivery now. */
export const resendDelivery = onSurface.POST('/api/v1/tenant/webhook-deliveries/{id}/resend');

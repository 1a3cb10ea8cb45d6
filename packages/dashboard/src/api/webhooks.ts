import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf, detailed } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type WebhookEndpoint = Required<components['schemas']['WebhookEndpoint']>;
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliverySummary = components['schemas']['WebhookDeliverySummary'];
export type CreateWebhook = components['schemas']['CreateWebhookEndpoint'];
type WebhookFilters = NonNullable<operations['listWebhooks']['parameters']['query']>;

/** How often the state of deliveries is read while somebody looks at it. */
const liveMs = 3_000;

/** Query-key prefix of webhook endpoints. */
export const webhooksKey = (surface: Surface) => keyOf(surface, 'webhooks');

/** Query-key prefix of deliveries. */
export const deliveriesKey = (surface: Surface) => keyOf(surface, 'webhook-deliveries');

/** Reads one page of webhook endpoints with their health. */
export function webhooksQuery(surface: Surface, filters: WebhookFilters) {
  return queryOptions({
    queryKey: [...webhooksKey(surface), 'list', filters],
    queryFn: () =>
      bodyOf(apiOf(surface).GET('/api/v1/tenant/webhooks', { params: { query: { ...filters, include: 'details' } } })),
    select: (page) => ({ ...page, data: page.data.map(detailed) }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

/** Reads one webhook endpoint with its health. */
export function webhookQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...webhooksKey(surface), id],
    queryFn: () =>
      dataOf(
        apiOf(surface).GET('/api/v1/tenant/webhooks/{id}', { params: { path: { id }, query: { include: 'details' } } }),
      ),
    select: detailed,
    refetchInterval: liveMs,
  });
}

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

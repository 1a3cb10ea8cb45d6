import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf, detailed, once } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type WebhookEndpoint = Required<components['schemas']['WebhookEndpoint']>;
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliverySummary = components['schemas']['WebhookDeliverySummary'];
export type CreateWebhook = components['schemas']['CreateWebhookEndpoint'];
type UpdateWebhook = components['schemas']['UpdateWebhookEndpoint'];
type WebhookFilters = NonNullable<operations['listWebhooks']['parameters']['query']>;
type DeliveryFilters = NonNullable<operations['listWebhookDeliveries']['parameters']['query']>;

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
export function deliveriesQuery(surface: Surface, filters: DeliveryFilters) {
  return listQuery(
    [...deliveriesKey(surface), 'list', filters],
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/webhook-deliveries', { params: { query: filters } })),
    { refetchInterval: liveMs },
  );
}

/** Reads one delivery with its attempts. */
export function deliveryQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...deliveriesKey(surface), id],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/webhook-deliveries/{id}', { params: { path: { id } } })),
    refetchInterval: liveMs,
  });
}

/** Creates an endpoint. Only this response contains its secret. */
export function createWebhook(surface: Surface, body: CreateWebhook, idempotencyKey: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/webhooks', { params: once(idempotencyKey), body }));
}

/** Changes the fields of an endpoint that `body` contains. */
export function updateWebhook(surface: Surface, id: string, body: UpdateWebhook) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/webhooks/{id}', { params: { path: { id } }, body }));
}

/** Deletes an endpoint. */
export function deleteWebhook(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/webhooks/{id}', { params: { path: { id } } }));
}

/** Sends a test event and returns its pending delivery. */
export function testWebhook(surface: Surface, id: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/webhooks/{id}/test', { params: { path: { id } } }));
}

/** Replaces the secret of an endpoint. Only this response contains the new one. */
export function rotateWebhookSecret(surface: Surface, id: string, idempotencyKey: string) {
  const params = { path: { id }, ...once(idempotencyKey) };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/webhooks/{id}/rotate-secret', { params }));
}

/** Sends the events again that an endpoint missed, or counts them if `dry_run` is set. */
export function recoverWebhook(surface: Surface, id: string, body: components['schemas']['RecoverWebhook']) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/webhooks/{id}/recover', { params: { path: { id } }, body }));
}

/** Makes one attempt of a delivery now. */
export function resendDelivery(surface: Surface, id: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/webhook-deliveries/{id}/resend', { params: { path: { id } } }));
}

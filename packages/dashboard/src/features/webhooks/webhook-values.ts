import type { CreateWebhook, WebhookEndpoint } from '../../api/webhooks.ts';

/** What a person enters for an endpoint. */
export type WebhookValues = ReturnType<typeof valuesOf>;

/** Returns the first values of the form: those of an endpoint, or of a new one. */
export function valuesOf(endpoint: WebhookEndpoint | undefined) {
  return {
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    events: (endpoint?.events ?? ['*']) as NonNullable<CreateWebhook['events']>,
    product_id: endpoint?.product_id ?? null,
    headers: (endpoint?.headers ?? []).map(({ name }) => ({ name, value: '', isStored: true })),
  };
}

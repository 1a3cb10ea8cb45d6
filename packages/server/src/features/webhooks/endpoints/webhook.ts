import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { UpdateWebhook, WebhookState } from './schemas.ts';

/** Converts an endpoint to its API form, without its secrets and its health. */
export function presentWebhook(row: WebhookEndpointsTable): WebhookState {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events_json),
    product_id: row.product_id,
    headers: JSON.parse(row.header_names_json).map((name: string) => ({ name })),
    status: row.status,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/**
 * Returns whether an enabled endpoint fails now: a delivery failed since the last success, or waits to be retried. Every
 * screen and the overview use this one rule.
 */
export function isFailing(
  { status, failed_deliveries }: Pick<WebhookEndpointsTable, 'status' | 'failed_deliveries'>,
  retrying: number,
): boolean {
  return status === 'enabled' && failed_deliveries + retrying > 0;
}

/** The status fields of an enabled endpoint without failures. */
export const healthy = {
  status: 'enabled',
  disabled_reason: null,
  failed_deliveries: 0,
  failing_since: null,
} as const satisfies Partial<WebhookEndpointsTable>;

/**
 * Returns the row with the fields of `input` that are present. If `events` is null, `defaultEvents` apply. Enabling a
 * disabled endpoint resets its failures. The caller must have checked the URL and the product, and seals the headers.
 */
export function applyWebhookInput(
  row: WebhookEndpointsTable,
  input: UpdateWebhook,
  defaultEvents: readonly string[],
): WebhookEndpointsTable {
  const events = input.events === undefined ? undefined : (input.events ?? defaultEvents);
  return {
    ...row,
    ...(input.status !== undefined && input.status !== row.status ? statusFields(input.status) : {}),
    url: input.url ?? row.url,
    description: input.description === undefined ? row.description : input.description,
    product_id: input.product_id === undefined ? row.product_id : input.product_id,
    events_json: events === undefined ? row.events_json : JSON.stringify(events),
  };
}

function statusFields(status: WebhookEndpointsTable['status']): Partial<WebhookEndpointsTable> {
  return status === 'enabled' ? healthy : { status, disabled_reason: 'requested' };
}

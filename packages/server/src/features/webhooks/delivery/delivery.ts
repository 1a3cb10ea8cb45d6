import type { EventsTable, WebhookAttemptsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import { messageBody, messageMediaType, messageTimestamp } from './message.ts';
import type { AttemptSummary, Delivery, DeliverySummary } from './schemas.ts';

function presentFields(row: WebhookDeliveriesTable) {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    failure_reason: row.failure_reason,
    next_attempt_at: row.next_attempt_at,
    created_at: row.created_at,
  };
}

/** Converts deliveries to their API form in lists. `lastAttempts` contains the last attempt of each that has one. */
export function presentDeliverySummaries(
  rows: readonly WebhookDeliveriesTable[],
  lastAttempts: readonly (AttemptSummary & { readonly delivery_id: string })[],
): DeliverySummary[] {
  const attempts = new Map(lastAttempts.map(({ delivery_id, ...attempt }) => [delivery_id, attempt]));
  return rows.map((row) => ({ ...presentFields(row), last_attempt: attempts.get(row.id) ?? null }));
}

/** Converts a delivery of a tenant's event to its API form with `attempts`, oldest first. */
export function presentDelivery(
  row: WebhookDeliveriesTable,
  event: EventsTable,
  tenantId: string,
  attempts: readonly WebhookAttemptsTable[],
): Delivery {
  return {
    ...presentFields(row),
    request_body: messageBody(event, tenantId),
    attempts: attempts.map(({ id: _id, delivery_id: _deliveryId, ...attempt }) => ({
      ...attempt,
      request_headers: {
        'content-type': messageMediaType,
        'webhook-id': row.event_id,
        'webhook-timestamp': messageTimestamp(attempt.at),
      },
    })),
  };
}

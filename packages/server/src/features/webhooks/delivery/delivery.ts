import type { WebhookAttemptsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Delivery, DeliverySummary } from './schemas.ts';

/** Converts a delivery to its API form in lists, without attempts. */
export function presentDeliverySummary(row: WebhookDeliveriesTable): DeliverySummary {
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

/** Converts a delivery to its API form with `attempts`, oldest first. */
export function presentDelivery(row: WebhookDeliveriesTable, attempts: readonly WebhookAttemptsTable[]): Delivery {
  return {
    ...presentDeliverySummary(row),
    attempts: attempts.map(({ id: _id, delivery_id: _deliveryId, ...attempt }) => attempt),
  };
}

import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { deleteEvents, type EventPosition } from '../../tenant-core/events/service.ts';
import { deleteExpired, type RetentionRule, type TrimBatch } from '../../tenant-core/retention/retention.ts';
import { removeDeletedWebhooks } from '../endpoints/service.ts';

/**
 * Rows per transaction. A batch takes about ten milliseconds, and an embedded database serves nothing else meanwhile.
 */
const batchSize = 500;

/** Deletes deliveries and events older than the tenant's `retention_days.deliveries`. */
export const deliveryRetention: RetentionRule = {
  startTrim: ({ now, settings }) => deliveryTrim(addDays(now, -settings.retention_days.deliveries)),
};

/**
 * Returns a function that deletes one batch of the history before a time with each call: completed deliveries with
 * their attempts, then events, then deleted endpoints. Pending deliveries and their events are kept. It returns true if
 * there may be more.
 */
export function deliveryTrim(before: Timestamp): TrimBatch {
  const deliveries = {
    table: 'webhook_deliveries',
    order: ['created_at', 'id'],
    before,
    isNull: 'claimable_at',
  } as const;
  let hasDeliveries = true;
  let after: EventPosition | null = null;
  return (db) =>
    db.transaction(async (tx) => {
      if (hasDeliveries) {
        hasDeliveries = (await deleteExpired(tx, deliveries, batchSize)) === batchSize;
        return true;
      }
      after = await deleteEvents(tx, { before, after, limit: batchSize });
      if (after === null) await removeDeletedWebhooks(tx, before);
      return after !== null;
    });
}

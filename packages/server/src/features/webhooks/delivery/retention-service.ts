import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { deleteEvents, type EventPosition } from '../../tenant-core/events/retention-service.ts';
import type { RetentionRule, TrimBatch } from '../../tenant-core/retention/retention.ts';
import { removeDeletedWebhooks } from '../endpoints/service.ts';
import { deleteEndedDeliveries } from './retention-queries.ts';

/** An embedded database serves nothing else while it writes: a batch takes some ten milliseconds. */
const batchSize = 500;

/** Deletes deliveries and events older than the tenant's `retention_days.deliveries`. */
export const deliveryRetention: RetentionRule = {
  startTrim: ({ now, settings }) => deliveryTrim(addDays(now, -settings.retention_days.deliveries)),
};

/**
 * Makes what deletes the history of before a moment, a batch with each call: deliveries that have ended, then events,
 * then deleted endpoints. What still waits to be sent stays, with its event. It answers true when there may be more.
 */
export function deliveryTrim(before: Timestamp): TrimBatch {
  let hasDeliveries = true;
  let after: EventPosition | null = null;
  return (db) =>
    db.transaction(async (tx) => {
      if (hasDeliveries) {
        hasDeliveries = (await deleteEndedDeliveries(tx, before, batchSize)) === batchSize;
        return true;
      }
      after = await deleteEvents(tx, { before, after, limit: batchSize });
      if (after === null) await removeDeletedWebhooks(tx, before);
      return after !== null;
    });
}

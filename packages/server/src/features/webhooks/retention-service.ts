import type { TenantDb } from '../../db/database.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { deleteDeletedEndpoints, deleteEndedDeliveries, deleteEvents } from './retention-queries.ts';

/** An embedded database serves nothing else while it writes: a batch takes some ten milliseconds. */
const batchSize = 500;

/**
 * Deletes one batch of the history of before a moment: deliveries that have ended, events, and deleted endpoints. What
 * still waits to be sent stays. Answers true when there may be more: call it again then.
 */
export async function trimDeliveries(db: TenantDb, before: Timestamp): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const deliveries = await deleteEndedDeliveries(tx, before, batchSize);
    const events = await deleteEvents(tx, before, batchSize);
    const hasMore = deliveries === batchSize || events === batchSize;
    if (!hasMore) await deleteDeletedEndpoints(tx, before);
    return hasMore;
  });
}

import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Deletes deliveries that have ended and were made before a moment, oldest first, with their attempts. Answers how many.
 * It deletes everything up to the last of them: given their ids instead, PostgreSQL may read the whole table.
 */
export async function deleteEndedDeliveries(tx: TenantTransaction, before: Timestamp, limit: number): Promise<number> {
  const last = await tx
    .selectFrom('webhook_deliveries')
    .select(['created_at', 'id'])
    .where('created_at', '<', before)
    .where('claimable_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  const result = await tx
    .deleteFrom('webhook_deliveries')
    .where((eb) =>
      last === undefined
        ? eb('created_at', '<', before)
        : eb(eb.refTuple('created_at', 'id'), '<=', eb.tuple(last.created_at, last.id)),
    )
    .where('claimable_at', 'is', null)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

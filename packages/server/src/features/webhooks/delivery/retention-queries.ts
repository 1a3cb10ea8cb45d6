import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Deletes up to `limit` completed deliveries that were created before a time, oldest first, with their attempts.
 * Returns how many. The statement deletes a range up to the last delivery: with a list of ids PostgreSQL may scan the
 * table.
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

import type { TenantTransaction } from '../../db/database.ts';
import type { Timestamp } from '../../lib/clock.ts';

/**
 * Removes at most `limit` rows of usage from before `cutoff`, the oldest first, and answers how many: events that were
 * recorded before it. Their keys may be used again then, but events that old are refused anyway. Sums stay for now;
 * the names of their periods depend on `_timezone`, a name of the IANA time zone database.
 */
export async function trimUsage(
  tx: TenantTransaction,
  cutoff: Timestamp,
  _timezone: string,
  limit: number,
): Promise<number> {
  const old = tx
    .selectFrom('usage_events')
    .select(['license_id', 'idempotency_key'])
    .where('recorded_at', '<', cutoff)
    .orderBy('recorded_at')
    .limit(limit);
  const result = await tx
    .deleteFrom('usage_events')
    .where((eb) =>
      eb(eb.refTuple('license_id', 'idempotency_key'), 'in', old.$asTuple('license_id', 'idempotency_key')),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

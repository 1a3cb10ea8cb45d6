import type { TenantTransaction } from '../../../db/database.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { batchedRule } from '../../tenant-core/retention/retention.ts';
import { periodsAt } from './period.ts';
import { deleteEventsBefore, deleteTotalsBefore } from './retention-queries.ts';

/** Without `none`, because the period of a counter that never resets does not end. */
const endingIntervals = ['hour', 'day', 'week', 'month', 'year'] as const;

/** Deletes usage older than the tenant's `retention_days.usage`, which is at least 36 days. */
export const usageRetention = batchedRule((tx, { now, settings }, limit) =>
  trimUsage(tx, addDays(now, -settings.retention_days.usage), settings.timezone, limit),
);

/**
 * Deletes about `batch` rows: totals whose period ended before `cutoff` in the timezone, and idempotency keys of events
 * recorded before `cutoff`. Returns the number of deleted rows; fewer than `batch` means that none are left. `cutoff`
 * must be at least 36 days ago, because an event can be reported again for 35 days and would then count twice.
 */
export async function trimUsage(
  tx: TenantTransaction,
  cutoff: Timestamp,
  timezone: string,
  batch: number,
): Promise<number> {
  const periods = periodsAt(toEpochMs(cutoff), timezone);
  let deleted = await deleteEventsBefore(tx, cutoff, batch);
  for (const interval of endingIntervals) {
    if (deleted >= batch) break;
    deleted += await deleteTotalsBefore(tx, interval, periods[interval], batch - deleted);
  }
  return deleted;
}

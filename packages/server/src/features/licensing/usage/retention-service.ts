import type { TenantTransaction } from '../../../db/database.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { batchedRule } from '../../tenant-core/retention/retention.ts';
import { periodsAt } from './period.ts';
import { deleteEventsBefore, deleteTotalsBefore } from './retention-queries.ts';

/** Not `none`: what never starts anew is never over. */
const endingIntervals = ['hour', 'day', 'week', 'month', 'year'] as const;

/** Deletes usage older than the tenant's `retention_days.usage`, which is at least 36 days. */
export const usageRetention = batchedRule((tx, { now, settings }, limit) =>
  trimUsage(tx, addDays(now, -settings.retention_days.usage), settings.timezone, limit),
);

/**
 * Deletes a batch of some `batch` rows of usage that is over: totals whose period ended before `cutoff` in the timezone, and
 * events that were recorded before it. Answers how many; fewer than `batch` means that nothing more is there. A
 * cutoff less than 36 days ago would let events that are reported late count twice.
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

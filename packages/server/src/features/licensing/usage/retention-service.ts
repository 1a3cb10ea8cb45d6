import type { TenantTransaction } from '../../../db/database.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { periodsAt } from './period.ts';
import { deleteEventsBefore, deleteTotalsBefore } from './retention-queries.ts';

/** Not `none`: what never starts anew is never over. */
const endingIntervals = ['hour', 'day', 'week', 'month', 'year'] as const;

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

import type { TenantDb } from '../../../db/database.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { andThen, type MaybePromise, whenAll } from '../../../lib/maybe-promise.ts';
import { type Counter, type Counters, type ListedEntitlement, noCounters } from '../entitlements/check.ts';
import { endOfPeriod, periodsAt } from './period.ts';
import { findUsageTotal } from './queries.ts';

/**
 * Returns what a license has used of metered entitlements in the current periods in the tenant's timezone. Each counter
 * is one read by primary key. The reads are concurrent on PostgreSQL and synchronous on the embedded engine. Without
 * entries nothing is read.
 */
export function readCounters(
  db: TenantDb,
  licenseId: string,
  metered: readonly ListedEntitlement[],
  timezone: string,
  now: Timestamp,
): MaybePromise<Counters> {
  if (metered.length === 0) return noCounters;
  const periods = periodsAt(toEpochMs(now), timezone);
  const read = ({ code, reset = 'none' }: ListedEntitlement): MaybePromise<[string, Counter]> =>
    andThen(db.first(findUsageTotal, [licenseId, reset, periods[reset], code]), (total) => [
      code,
      { usage: total?.quantity ?? 0, resetsAt: endOfPeriod(periods[reset], reset, timezone) },
    ]);
  return andThen(whenAll(metered.map(read)), (counters) => new Map(counters));
}

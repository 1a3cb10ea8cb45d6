import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { ExpiredRows } from '../../../db/expired-rows.ts';
import type { UsageInterval, UsageTotalsTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { expiryRule, type RetentionContext } from '../../tenant-core/retention/retention.ts';
import { type Counter, type Counters, type ListedEntitlement, noCounters } from '../entitlements/decision.ts';
import { endOfPeriod, periodsAt } from './period.ts';
import { createUsageTotals, findUsageTotal } from './queries.ts';

/**
 * Returns what a license has used of metered entitlements in the current periods in the tenant's timezone. Each counter
 * is one read by primary key, and they run together. Without entries nothing is read.
 */
export async function readCounters(
  db: TenantDb,
  licenseId: string,
  metered: readonly ListedEntitlement[],
  timezone: string,
  now: Timestamp,
): Promise<Counters> {
  if (metered.length === 0) return noCounters;
  const periods = periodsAt(toEpochMs(now), timezone);
  const read = async ({ code, reset = 'none' }: ListedEntitlement): Promise<[string, Counter]> => {
    const total = await db.first(findUsageTotal, [licenseId, reset, periods[reset], code]);
    return [code, { usage: total?.quantity ?? 0, resetsAt: endOfPeriod(periods[reset], reset, timezone) }];
  };
  return new Map(await Promise.all(metered.map(read)));
}

/** Without `none`, because the period of a counter that never resets does not end. */
const endingIntervals = ['hour', 'day', 'week', 'month', 'year'] as const;

/**
 * Returns the usage older than the tenant's `retention_days.usage`: idempotency keys of events, and totals whose period
 * ended before that time in the tenant's timezone. The setting is at least 36 days, because an event can be reported
 * again for 35 days and would then count twice.
 */
export function expiredUsage({ now, settings }: RetentionContext): ExpiredRows<TenantTables>[] {
  const before = addDays(now, -settings.retention_days.usage);
  const periods = periodsAt(toEpochMs(before), settings.timezone);
  return [
    { table: 'usage_events', order: ['recorded_at'], before },
    ...endingIntervals.map((interval) => ({
      table: 'usage_totals' as const,
      order: ['period', 'license_id', 'entitlement_code'] as const,
      before: periods[interval],
      equals: { interval },
    })),
  ];
}

/** Deletes expired usage. */
export const usageRetention = expiryRule(expiredUsage);

/** Usage that happened in the past. */
export interface PastUsage {
  readonly licenseId: string;
  readonly code: string;
  readonly atMs: number;
  readonly quantity: number;
}

const intervals: readonly UsageInterval[] = ['hour', 'day', 'week', 'month', 'year', 'none'];

/**
 * Inserts the totals of past usage of new licenses, whose totals do not exist yet. Usage after `hoursSinceMs` is also
 * totalled by hour. It creates no notifications, because nothing happens now.
 */
export async function createPastUsage(
  tx: TenantTransaction,
  usages: readonly PastUsage[],
  { timezone, hoursSinceMs }: { readonly timezone: string; readonly hoursSinceMs: number },
): Promise<void> {
  const totals = new Map<string, UsageTotalsTable>();
  for (const { licenseId, code, atMs, quantity } of usages) {
    const periods = periodsAt(atMs, timezone);
    for (const interval of intervals) {
      if (interval === 'hour' && atMs < hoursSinceMs) continue;
      const period = periods[interval];
      const key = [licenseId, interval, period, code].join(' ');
      const total = totals.get(key);
      if (total === undefined)
        totals.set(key, { license_id: licenseId, interval, period, entitlement_code: code, quantity });
      else total.quantity += quantity;
    }
  }
  await createUsageTotals(tx, [...totals.values()]);
}

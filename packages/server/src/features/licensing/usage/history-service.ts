import type { TenantTransaction } from '../../../db/database.ts';
import type { UsageInterval, UsageTotalsTable } from '../../../db/tables/tenant/licenses.ts';
import { periodsAt } from './period.ts';
import { createUsageTotals } from './queries.ts';

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
 * totalled by hour. It notifies nobody, because nothing happens now.
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

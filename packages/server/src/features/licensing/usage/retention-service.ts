import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { toEpochMs } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { type ExpiredRows, expiryRule, type RetentionContext } from '../../tenant-core/retention/retention.ts';
import { periodsAt } from './period.ts';

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

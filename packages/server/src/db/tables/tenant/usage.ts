import type { Timestamp } from '../../../lib/clock.ts';

/** The periods over which usage is totalled. `none`: never reset. */
export type UsageInterval = 'hour' | 'day' | 'week' | 'month' | 'year' | 'none';

/** A license's use of an entitlement in one period. Every event is added to one row of each interval. */
export interface UsageTotalsTable {
  license_id: string;
  interval: UsageInterval;
  /** The name of the period in the tenant's timezone; sorts by time (features/licensing/usage/period.ts). */
  period: string;
  entitlement_code: string;
  quantity: number;
}

/** The key of a counted event, so that it is not counted again. Its quantity is in the totals. */
export interface UsageEventsTable {
  license_id: string;
  idempotency_key: string;
  recorded_at: Timestamp;
}

import type { Timestamp } from '../../../lib/clock.ts';

export type UsageInterval = 'hour' | 'day' | 'week' | 'month' | 'year' | 'none';

/** What a license consumed of an entitlement in one period. Every event counts in one row of each interval. */
export interface UsageTotalsTable {
  license_id: string;
  interval: UsageInterval;
  /** How the period is named in the tenant's timezone; sorts by time (features/usage/period.ts). */
  period: string;
  entitlement_code: string;
  quantity: number;
}

/** That an event was counted, and is not to be counted again. What it added is in the totals. */
export interface UsageEventsTable {
  license_id: string;
  idempotency_key: string;
  recorded_at: Timestamp;
}

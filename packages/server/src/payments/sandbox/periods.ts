import type { BillingInterval } from '../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../lib/clock.ts';

const monthsOf: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 };

/** Adds months. A day that the month lacks becomes its last day (January 31 → February 28). */
export function addMonths(moment: Timestamp, months: number): Timestamp {
  const date = new Date(toEpochMs(moment));
  const timeOfDayMs = toEpochMs(moment) - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return toTimestamp(Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), lastDay)) + timeOfDayMs);
}

/**
 * Returns the end of the period that begins at `startsAt`. It is counted from the anchor, not from the preceding
 * period, so that a short month does not shift the later ones: January 31 → February 28 → March 31.
 */
export function periodEnd(anchorAt: Timestamp, interval: BillingInterval, startsAt: Timestamp): Timestamp {
  const [anchor, start] = [new Date(toEpochMs(anchorAt)), new Date(toEpochMs(startsAt))];
  const monthsSince =
    (start.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + start.getUTCMonth() - anchor.getUTCMonth();
  return addMonths(anchorAt, monthsSince + monthsOf[interval]);
}

import type { BillingInterval } from '../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../lib/clock.ts';

const monthsOf: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 };

/** So many months later, on the same day; in a month without it, on its last day (January 31 → February 28). */
function addMonths(moment: Timestamp, months: number): Timestamp {
  const date = new Date(toEpochMs(moment));
  const timeOfDayMs = toEpochMs(moment) - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return toTimestamp(Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), lastDay)) + timeOfDayMs);
}

/**
 * The end of the period that begins at `startsAt`. It is counted from the anchor and not from the period before, so
 * that a short month shortens no later one: January 31 → February 28 → March 31.
 */
export function periodEnd(anchorAt: Timestamp, interval: BillingInterval, startsAt: Timestamp): Timestamp {
  const [anchor, start] = [new Date(toEpochMs(anchorAt)), new Date(toEpochMs(startsAt))];
  const monthsSince =
    (start.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + start.getUTCMonth() - anchor.getUTCMonth();
  return addMonths(anchorAt, monthsSince + monthsOf[interval]);
}

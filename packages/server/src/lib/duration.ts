import { type Timestamp, toEpochMs, toTimestamp } from './clock.ts';

/** The latest value of a `Timestamp`. Sums beyond it return this value. */
export const latestTimestamp: Timestamp = '9999-12-31T23:59:59.999999Z';

const latestEpochMs = toEpochMs(latestTimestamp);
const dayMs = 86_400_000;

function addMs(timestamp: Timestamp, milliseconds: number): Timestamp {
  const epochMs = toEpochMs(timestamp) + milliseconds;
  return epochMs > latestEpochMs ? latestTimestamp : toTimestamp(epochMs, Number(timestamp.slice(23, 26)));
}

/** Adds days of 24 hours (UTC calendar days). The result is at most `latestTimestamp`. */
export function addDays(timestamp: Timestamp, days: number): Timestamp {
  return addMs(timestamp, days * dayMs);
}

/**
 * Adds months of the calendar in a timezone: the same time of day on the same day of a later month, or on its last day if
 * the month is shorter. A time that a change of the clocks skips becomes the first one after it. The result is at most
 * `latestTimestamp`.
 *
 * A timestamp that is itself a number of months after `anchor` keeps the anchor's day and time of day: from 28 February
 * with an anchor on the 31st, one month ends on 31 March. Several additions therefore give the same result as one.
 */
export function addMonths(
  timestamp: Timestamp,
  months: number,
  timeZone: string,
  anchor: Timestamp | null = null,
): Timestamp {
  if (anchor !== null) {
    const since = monthsBetween(anchor, timestamp, timeZone);
    if (addMonths(anchor, since, timeZone) === timestamp) return addMonths(anchor, since + months, timeZone);
  }
  const start = Temporal.Instant.from(timestamp).toZonedDateTimeISO(timeZone);
  const sum = start.add({ months }).toInstant().toString({ fractionalSecondDigits: 6 });
  // A year beyond 9999 has a sign and more digits.
  return sum.startsWith('+') ? latestTimestamp : sum;
}

/**
 * Returns the last microsecond of the month of the calendar, in a timezone, to which the moment before `timestamp` belongs:
 * what ends at midnight before the first of a month ends with the month before. The result is at most `latestTimestamp`.
 */
export function endOfMonth(timestamp: Timestamp, timeZone: string): Timestamp {
  const last = Temporal.Instant.from(timestamp).subtract({ microseconds: 1 }).toZonedDateTimeISO(timeZone);
  const next = last.toPlainDate().with({ day: 1 }).add({ months: 1 }).toZonedDateTime(timeZone);
  const end = next.toInstant().subtract({ microseconds: 1 }).toString({ fractionalSecondDigits: 6 });
  return end.startsWith('+') ? latestTimestamp : end;
}

/** Returns how many months of the calendar the second timestamp is later, whatever the days. */
function monthsBetween(one: Timestamp, other: Timestamp, timeZone: string): number {
  const [from, to] = [one, other].map((at) => Temporal.Instant.from(at).toZonedDateTimeISO(timeZone)) as [
    Temporal.ZonedDateTime,
    Temporal.ZonedDateTime,
  ];
  return (to.year - from.year) * 12 + to.month - from.month;
}

/** Adds seconds. The result is at most `latestTimestamp`. */
export function addSeconds(timestamp: Timestamp, seconds: number): Timestamp {
  return addMs(timestamp, seconds * 1000);
}

import type { UsageInterval } from '../../../db/tables/tenant/licenses.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { memoizeText } from '../../../lib/memoize.ts';

// Periods are identified by a local date, not by the instant at which they begin. `2026-11-21` therefore stays one
// counter when the tenant changes its timezone, in which that day begins at another instant.

/** The interval after which a counter resets. `none`: never. */
export type ResetInterval = Exclude<UsageInterval, 'hour'>;

/**
 * The names of the periods that contain an instant. Day, week (starting on Monday), month and year: the local date of
 * the first day. Hour: the UTC minute in which the local hour began, because 02:00 occurs twice when clocks go back.
 * Names of one interval sort by time.
 */
export type Periods = { readonly [Interval in UsageInterval]: string };

/** The only period of a counter that never resets. */
const always = '1970-01-01';

/** Local dates after this could have a five-digit year, which would break the sort order. */
const latestMs = Date.UTC(9999, 11, 30);

function namePeriods(epochMs: number, timezone: string): Periods {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.min(epochMs, latestMs)).toZonedDateTimeISO(timezone);
  const date = local.toPlainDate();
  const hourMs = local.round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds;
  return {
    hour: `${new Date(hourMs).toISOString().slice(0, 16)}Z`,
    day: date.toString(),
    week: date.subtract({ days: date.dayOfWeek - 1 }).toString(),
    month: date.with({ day: 1 }).toString(),
    year: date.with({ month: 1, day: 1 }).toString(),
    none: always,
  };
}

/**
 * Periods rarely change within a quarter of an hour of UTC, because every UTC offset in use today is a multiple of it.
 * Reported usage falls into few quarters, and computing the names costs ten times as much as this lookup.
 */
const quarterMs = 15 * 60_000;
/** More than the 3,360 quarters of 35 days in one timezone. The cache is cleared when it is full. */
const quartersMax = 5000;

const quartersByTimezone = new Map<string, Map<number, Periods>>();
let quartersKnown = 0;

function remember(quarters: Map<number, Periods>, timezone: string, quarter: number): Periods | undefined {
  const first = namePeriods(quarter * quarterMs, timezone);
  // Until 1972 offsets were not multiples of a quarter. Do not cache a quarter within which the periods change.
  if (namePeriods((quarter + 1) * quarterMs - 1, timezone).hour !== first.hour) return undefined;
  if (quartersKnown >= quartersMax) {
    quartersByTimezone.clear();
    quartersKnown = 0;
  }
  quartersKnown += 1;
  quartersByTimezone.set(timezone, quarters.set(quarter, first));
  return first;
}

/** Returns the periods that contain an instant, in a timezone (a name of the IANA time zone database). Cached. */
export function periodsAt(epochMs: number, timezone: string): Periods {
  const quarters = quartersByTimezone.get(timezone) ?? new Map<number, Periods>();
  const quarter = Math.floor(epochMs / quarterMs);
  return quarters.get(quarter) ?? remember(quarters, timezone, quarter) ?? namePeriods(epochMs, timezone);
}

function startOfDate(date: string, timezone: string): Timestamp {
  return toTimestamp(Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds);
}

const startOfDateText = memoizeText((text) => {
  const [date = '', timezone = ''] = text.split(' ');
  return startOfDate(date, timezone);
});

/** Returns the instant at which a period begins in a timezone. */
export function startOfPeriod(period: string, interval: UsageInterval, timezone: string): Timestamp {
  if (interval === 'hour') return toTimestamp(toEpochMs(period));
  return interval === 'none' ? toTimestamp(0) : startOfDateText(`${period} ${timezone}`);
}

const steps = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 }, year: { years: 1 } } as const;

const nextDateText = memoizeText((text) => {
  const [date = '', interval] = text.split(' ');
  return Temporal.PlainDate.from(date)
    .add(steps[interval as keyof typeof steps])
    .toString();
});

/** Returns the instant at which a counter of this period resets; null when it never resets. */
export function endOfPeriod(period: string, interval: ResetInterval, timezone: string): Timestamp | null {
  if (interval === 'none') return null;
  return startOfDateText(`${nextDateText(`${period} ${interval}`)} ${timezone}`);
}

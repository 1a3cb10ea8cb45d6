import type { UsageInterval } from '../../../db/tables/tenant/usage.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { memoizeText } from '../../../lib/memoize-text.ts';

// A period has a name instead of a moment at which it begins: `2026-11-21` stays one counter when the tenant moves to
// another timezone, where that day begins at another moment.

/** The interval by which a counter starts anew. */
export type ResetInterval = Exclude<UsageInterval, 'hour'>;

/**
 * The names of the periods that a moment falls in. Of a day, week (its Monday), month and year: the local date of its
 * first day. Of an hour: the UTC minute in which the local hour began, since 02:00 comes twice when clocks go back.
 * Within an interval they sort by time.
 */
export type Periods = { readonly [Interval in UsageInterval]: string };

/** The one period of what never starts anew. */
const always = '1970-01-01';

/** Past this a local date could need five digits of the year, which would not sort. */
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
 * Within a quarter of an hour of UTC the periods rarely change: no offset in use today is finer. What usage is
 * reported for are few of these, and naming the periods of a moment costs ten times as much as finding them here.
 */
const quarterMs = 15 * 60_000;
/** More than the quarters of 35 days, in one timezone. */
const quartersMax = 5000;

const quartersByTimezone = new Map<string, Map<number, Periods>>();
let quartersKnown = 0;

function remember(quarters: Map<number, Periods>, timezone: string, quarter: number): Periods | undefined {
  const first = namePeriods(quarter * quarterMs, timezone);
  // Dates until 1972 had odd offsets: a quarter in which something changes is not remembered.
  if (namePeriods((quarter + 1) * quarterMs - 1, timezone).hour !== first.hour) return undefined;
  if (quartersKnown >= quartersMax) {
    quartersByTimezone.clear();
    quartersKnown = 0;
  }
  quartersKnown += 1;
  quartersByTimezone.set(timezone, quarters.set(quarter, first));
  return first;
}

/** The periods of a moment in a timezone (a name of the IANA time zone database). */
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

/** The moment at which a period begins in a timezone. */
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

/** The moment at which a counter that starts anew by `interval` does so next; null when it never does. */
export function endOfPeriod(period: string, interval: ResetInterval, timezone: string): Timestamp | null {
  if (interval === 'none') return null;
  return startOfDateText(`${nextDateText(`${period} ${interval}`)} ${timezone}`);
}

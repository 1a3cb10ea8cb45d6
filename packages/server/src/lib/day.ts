import { type Timestamp, toEpochMs, toTimestamp } from './clock.ts';
import { latestTimestamp } from './duration.ts';

const dayForm = /^(?:19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}$/;
const earliest: Timestamp = '1970-01-01T00:00:00.000000Z';

/** Returns true for a day such as `2027-01-31` that exists, in the years 1970 to 9999. */
export function isDay(text: string): boolean {
  if (!dayForm.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // `Date` turns 30 February into a day in March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The fields that end something: a day in one of them means its end, in any other its start. */
const ending = /^(?:.*_)?(?:expires_at|ends_at|until|to)$/;

/**
 * Returns what a day means in the field with this name: its last microsecond in the timezone if the field ends something,
 * and else its first. Every part of the service reads days here. The result lies in the years 1970 to 9999 of UTC. Throws
 * for an invalid day.
 */
export function momentOfDay(day: string, name: string, timeZone: string): Timestamp {
  const date = Temporal.PlainDate.from(day);
  const isEnd = ending.test(name);
  // The first moment of a day is not midnight where a change of the clocks skips it.
  const start = (isEnd ? date.add({ days: 1 }) : date).toZonedDateTime(timeZone).epochMilliseconds;
  if (start > toEpochMs(latestTimestamp)) return latestTimestamp;
  if (start <= 0) return earliest;
  return isEnd ? toTimestamp(start - 1, 999) : toTimestamp(start);
}

/**
 * Returns a moment before a time that ends something, in milliseconds since the Unix epoch. The day that a person sees as
 * the last one is the day of this moment: at midnight, the day before.
 */
export function lastMomentMs(end: Timestamp): number {
  return toEpochMs(end) - 1;
}

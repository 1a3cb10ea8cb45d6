import type { Timestamp } from './clock.ts';
import { lastMomentMs } from './day.ts';
import { memoizeText, once } from './memoize.ts';

/** Made on first use: it loads data of languages. */
const moment = once(
  () => new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' }),
);

const dayIn = memoizeText((timeZone) => new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone }));

/** Formats a timestamp to the minute, in UTC, such as `November 27, 2026 at 17:42 UTC`. */
export function readableMoment(timestamp: Timestamp): string {
  return `${moment().format(new Date(timestamp))} UTC`;
}

/** Formats the day of a timestamp, in UTC, such as `November 27, 2026`. */
export function readableDay(timestamp: Timestamp): string {
  return dayIn('UTC').format(new Date(timestamp));
}

/** Formats the last day before an end in a timezone, such as `November 27, 2026`. */
export function readableLastDay(end: Timestamp, timeZone: string): string {
  return dayIn(timeZone).format(lastMomentMs(end));
}

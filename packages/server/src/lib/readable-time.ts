import type { Timestamp } from './clock.ts';
import { once } from './memoize.ts';

/** Made on first use: it loads data of languages. */
const moment = once(
  () => new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' }),
);

const day = once(() => new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }));

/** Formats a timestamp to the minute, in UTC, such as `November 27, 2026 at 17:42 UTC`. */
export function readableMoment(timestamp: Timestamp): string {
  return `${moment().format(new Date(timestamp))} UTC`;
}

/** Formats the day of a timestamp, in UTC, such as `November 27, 2026`. */
export function readableDay(timestamp: Timestamp): string {
  return day().format(new Date(timestamp));
}

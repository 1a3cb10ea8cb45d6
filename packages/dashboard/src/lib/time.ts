import { language } from './language.ts';

const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const dateOnly = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const utcMonth = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const steps = [
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;

/** Returns a time in the reader's time zone, to the minute. */
export function formatDateTime(timestamp: string): string {
  return dateTime.format(new Date(timestamp));
}

/** Returns the day of a time in the reader's time zone. */
export function formatDate(timestamp: string): string {
  return dateOnly.format(new Date(timestamp));
}

/** Returns the last day before an end in the reader's time zone: at midnight, the day before. */
export function formatLastDay(end: string): string {
  return formatDate(lastMoment(end));
}

function lastMoment(end: string): string {
  return new Date(Date.parse(end) - 1).toISOString();
}

/** Returns the day of a time in UTC. Midnight UTC is still the day before for readers in America. */
export function formatUtcDay(timestamp: string): string {
  return utcDay.format(new Date(timestamp));
}

/** Returns the month of a time in UTC. */
export function formatUtcMonth(timestamp: string): string {
  return utcMonth.format(new Date(timestamp));
}

/** Returns a time exact to the second in a time zone, with the zone's name. */
export function formatExact(timestamp: string, timeZone?: string): string {
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  };
  return new Intl.DateTimeFormat(language, { ...options, ...(timeZone && { timeZone }) }).format(new Date(timestamp));
}

/** Returns whether a time is less than a week away from `nowMs`. */
export function isNear(timestamp: string, nowMs = Date.now()): boolean {
  return Math.abs(Date.parse(timestamp) - nowMs) < weekMs;
}

/**
 * Returns the distance from `nowMs` below a week: `in 3 days`, `yesterday`, `5 minutes ago`, `now`; otherwise the day.
 * From 24 hours on it counts days of the calendar, because `tomorrow` is a day of the calendar.
 */
export function formatRelative(timestamp: string, nowMs = Date.now()): string {
  if (!isNear(timestamp, nowMs)) return formatDate(timestamp);
  const distanceMs = Date.parse(timestamp) - nowMs;
  if (Math.abs(distanceMs) >= dayMs) return relative.format(daysBetween(nowMs, Date.parse(timestamp)), 'day');
  const step = steps.find(({ ms }) => Math.abs(distanceMs) >= ms);
  return step === undefined
    ? relative.format(Math.trunc(distanceMs / 1000), 'second')
    : relative.format(Math.trunc(distanceMs / step.ms), step.unit);
}

/** Like `formatRelative`, for the middle of a sentence: `in 3 days`, `on 11 Jan 2027`. */
export function formatWhen(timestamp: string, nowMs = Date.now()): string {
  return isNear(timestamp, nowMs) ? formatRelative(timestamp, nowMs) : `on ${formatDate(timestamp)}`;
}

/** Like `formatRelative`, for the last moment before an end. */
export function formatRelativeEnd(end: string, nowMs = Date.now()): string {
  return formatRelative(lastMoment(end), nowMs);
}

/** Like `formatWhen`, for the last moment before an end. */
export function formatEnd(end: string, nowMs = Date.now()): string {
  return formatWhen(lastMoment(end), nowMs);
}

/** Returns how many days of the calendar the second moment is later, in the reader's time zone. */
function daysBetween(oneMs: number, otherMs: number): number {
  const [one = 0, other = 0] = [oneMs, otherMs].map((ms) => new Date(ms).setHours(0, 0, 0, 0));
  // A day on which the clocks change has 23 or 25 hours.
  return Math.round((other - one) / dayMs);
}

const timeOnly = new Intl.DateTimeFormat(language, { timeStyle: 'short' });

/** Returns the time of day in the reader's time zone. */
export function formatTime(at: Date | number): string {
  return timeOnly.format(at);
}

/** Returns the time of day if it is today in the reader's time zone; otherwise null. */
export function formatTimeToday(timestamp: string, nowMs = Date.now()): string | null {
  const at = new Date(timestamp);
  return at.toDateString() === new Date(nowMs).toDateString() ? timeOnly.format(at) : null;
}

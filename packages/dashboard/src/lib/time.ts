const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const steps: readonly { readonly unit: Intl.RelativeTimeFormatUnit; readonly seconds: number }[] = [
  { unit: 'year', seconds: 31_557_600 },
  { unit: 'month', seconds: 2_629_800 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
];

/** Returns a time in the reader's time zone, to the minute. */
export function formatDateTime(timestamp: string): string {
  return dateTime.format(new Date(timestamp));
}

/** Returns the day of a time in the reader's time zone. */
export function formatDate(timestamp: string): string {
  return dateOnly.format(new Date(timestamp));
}

/** Returns the day of a time in UTC. Midnight UTC is still the day before for readers in America. */
export function formatUtcDay(timestamp: string): string {
  return utcDay.format(new Date(timestamp));
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
  return new Intl.DateTimeFormat(undefined, { ...options, ...(timeZone && { timeZone }) }).format(new Date(timestamp));
}

/**
 * Returns the distance from `nowMs`: `in 12 days`, `3 minutes ago`, `now`. A distance to the future of less than a month is
 * rounded up: a license that ends `in 7 days` is then in the filter for 7 days.
 */
export function formatRelative(timestamp: string, nowMs = Date.now()): string {
  const seconds = (new Date(timestamp).getTime() - nowMs) / 1000;
  const step = steps.find((one) => Math.abs(seconds) >= one.seconds);
  if (step === undefined) return relative.format(Math.trunc(seconds), 'second');
  const isRoundedUp = seconds > 0 && step.unit !== 'year' && step.unit !== 'month';
  const distance = seconds / step.seconds;
  return relative.format(isRoundedUp ? Math.ceil(distance) : Math.round(distance), step.unit);
}

const timeOnly = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Returns the time of day if it is today in the reader's time zone; otherwise null. */
export function formatTimeToday(timestamp: string, nowMs = Date.now()): string | null {
  const at = new Date(timestamp);
  return at.toDateString() === new Date(nowMs).toDateString() ? timeOnly.format(at) : null;
}

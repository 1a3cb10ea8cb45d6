/** A length of time: days, or months of the calendar. At most one is set; none is no end. */
export interface Duration {
  readonly days: number | null;
  readonly months: number | null;
}

const dayMs = 86_400_000;

/** Returns the time after a duration, as the service computes it; null without a duration. */
export function addDuration(timestamp: string, { days, months }: Duration, timeZone: string): string | null {
  if (months !== null) return addMonths(timestamp, months, timeZone);
  return days === null ? null : new Date(new Date(timestamp).getTime() + days * dayMs).toISOString();
}

/**
 * Returns the same time of day on the same day of a later month, or on its last day if the month is shorter. The calendar is
 * that of the time zone. A change of the clocks in between moves it by an hour, which a date does not show.
 */
function addMonths(timestamp: string, months: number, timeZone: string): string {
  const epochMs = new Date(timestamp).getTime();
  const offsetMs = wallMs(epochMs, timeZone) - epochMs;
  const wall = new Date(epochMs + offsetMs);
  const day = wall.getUTCDate();
  wall.setUTCDate(1);
  wall.setUTCMonth(wall.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)).getUTCDate();
  wall.setUTCDate(Math.min(day, lastDay));
  return new Date(wall.getTime() - offsetMs).toISOString();
}

/** Returns what a clock in the time zone shows, as if it were UTC. */
function wallMs(epochMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  } as const);
  const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (epochMs % 1000);
}

/** UTC, ISO 8601 with exactly six fractional digits (`2026-11-20T17:42:00.123456Z`): fixed width, so it sorts as text. */
export type Timestamp = string;

/** Time is passed in, so that tests own it. */
export interface Clock {
  /** The current moment. Strictly increasing within a process while the wall clock does not go backwards. */
  now(): Timestamp;
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** Formats milliseconds since the epoch, plus 0..999 microseconds, as a `Timestamp`. */
export function toTimestamp(epochMs: number, micros = 0): Timestamp {
  const iso = new Date(epochMs).toISOString();
  return `${iso.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Milliseconds since the epoch of a `Timestamp`; the microseconds are cut off. */
export function toEpochMs(timestamp: Timestamp): number {
  return Date.parse(timestamp);
}

/**
 * The system's wall clock. `Date` has milliseconds only; a counter fills the microseconds,
 * so that rows written by one process within a millisecond keep their order.
 */
export function systemClock(readMs: () => number = () => Date.now()): Clock {
  let lastMs = 0;
  let micros = 0;
  let untilMillisecond = '';
  return {
    now() {
      const nowMs = readMs();
      if (nowMs === lastMs) micros = Math.min(micros + 1, 999);
      else {
        lastMs = nowMs;
        micros = 0;
        untilMillisecond = toTimestamp(nowMs).slice(0, -4);
      }
      return `${untilMillisecond}${String(micros).padStart(3, '0')}Z`;
    },
    nowMs: readMs,
  };
}

/**
 * UTC, ISO 8601 with exactly six fractional digits (`2026-11-20T17:42:00.123456Z`): fixed width, so it sorts as text.
 */
export type Timestamp = string;

/** The source of time, injected so that tests control it. */
export interface Clock {
  /**
   * Returns the current time. Strictly increasing within a process while the wall clock does not go backwards, for up
   * to 1000 calls per millisecond.
   */
  now(): Timestamp;
  /** Returns the milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** Formats milliseconds since the Unix epoch, plus 0..999 microseconds, as a `Timestamp`. */
export function toTimestamp(epochMs: number, micros = 0): Timestamp {
  const iso = new Date(epochMs).toISOString();
  return `${iso.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Returns the milliseconds since the Unix epoch; the microseconds are truncated. */
export function toEpochMs(timestamp: Timestamp): number {
  return Date.parse(timestamp);
}

/** Returns the whole seconds since the Unix epoch, rounded down (`NumericDate`, RFC 7519, section 2). */
export function toEpochSeconds(timestamp: Timestamp): number {
  return Math.floor(toEpochMs(timestamp) / 1000);
}

/**
 * Creates a clock that reads the system's wall clock. `Date` has only milliseconds; a counter supplies the
 * microseconds, so that rows that one process writes within a millisecond keep their order.
 */
export function systemClock(readMs: () => number = () => Date.now()): Clock {
  let lastMs = Number.NaN;
  let micros = 0;
  let lastSecond = Number.NaN;
  let untilSecond = '';
  let untilMillisecond = '';
  return {
    now() {
      const nowMs = Math.floor(readMs());
      if (nowMs === lastMs) micros = Math.min(micros + 1, 999);
      else {
        lastMs = nowMs;
        micros = 0;
        const second = Math.floor(nowMs / 1000);
        // Formatting a date costs more than all other work here.
        if (second !== lastSecond) {
          lastSecond = second;
          untilSecond = toTimestamp(nowMs).slice(0, -7);
        }
        untilMillisecond = untilSecond + String(nowMs - second * 1000).padStart(3, '0');
      }
      return `${untilMillisecond}${String(micros).padStart(3, '0')}Z`;
    },
    nowMs: readMs,
  };
}

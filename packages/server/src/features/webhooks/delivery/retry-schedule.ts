const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Waits after the first failed scheduled attempt, the second one, and so on. */
const delaysMs = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs] as const;

const jitter = 0.2;

/**
 * Returns the wait in milliseconds after `attempts` scheduled attempts have failed, or null if no attempt follows.
 * `random` is in 0..1 and spreads the wait by ±20 %. `Retry-After` is honoured between one and two scheduled waits.
 */
export function retryDelayMs(attempts: number, random: number, retryAfterMs: number | null): number | null {
  const delayMs = delaysMs[attempts - 1];
  if (delayMs === undefined) return null;
  if (retryAfterMs !== null) return Math.min(Math.max(retryAfterMs, delayMs), 2 * delayMs);
  return Math.round(delayMs * (1 - jitter + 2 * jitter * random));
}

/** Parses `Retry-After` (RFC 9110): seconds or a date. Returns null for any other value and for a past date. */
export function parseRetryAfterMs(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  const untilMs = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(untilMs) || untilMs <= nowMs ? null : untilMs - nowMs;
}

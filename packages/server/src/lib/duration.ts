import { type Timestamp, toEpochMs, toTimestamp } from './clock.ts';

/** The last moment that a `Timestamp` can hold; sums that pass it stop here. */
export const latestTimestamp: Timestamp = '9999-12-31T23:59:59.999999Z';

const latestEpochMs = toEpochMs(latestTimestamp);
const dayMs = 86_400_000;

function addMs(timestamp: Timestamp, milliseconds: number): Timestamp {
  const epochMs = toEpochMs(timestamp) + milliseconds;
  return epochMs > latestEpochMs ? latestTimestamp : toTimestamp(epochMs, Number(timestamp.slice(23, 26)));
}

/** `days` of 24 hours later (a UTC calendar day), never past the year 9999. */
export function addDays(timestamp: Timestamp, days: number): Timestamp {
  return addMs(timestamp, days * dayMs);
}

/** `seconds` later, never past the year 9999. */
export function addSeconds(timestamp: Timestamp, seconds: number): Timestamp {
  return addMs(timestamp, seconds * 1000);
}

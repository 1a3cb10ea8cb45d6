import type { ActivityPointsTable } from '../../../db/tables/platform/operations.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';

/** The length of a bucket: `hour` or `day`. */
export type BucketInterval = ActivityPointsTable['interval'];

/** The lengths of an hour and a day in UTC, which are constant. */
export const bucketMs: Readonly<Record<BucketInterval, number>> = { hour: 3_600_000, day: 86_400_000 };

/** Returns the start of the bucket that contains a time, given in milliseconds since the epoch. */
export function bucketAt(interval: BucketInterval, atMs: number): Timestamp {
  return toTimestamp(atMs - (atMs % bucketMs[interval]));
}

/** Returns the UTC day of a time, given in milliseconds since the epoch, as `2026-11-20`. */
export function dayAt(atMs: number): string {
  return toTimestamp(atMs).slice(0, 10);
}

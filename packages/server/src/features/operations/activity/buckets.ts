import type { ActivityPointsTable } from '../../../db/tables/platform/activity.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';

export type BucketInterval = ActivityPointsTable['interval'];

/** Hours and days of UTC: each is of one length. */
export const bucketMs: Readonly<Record<BucketInterval, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The bucket that a moment (milliseconds since the epoch) is in. */
export function bucketAt(interval: BucketInterval, atMs: number): Timestamp {
  return toTimestamp(atMs - (atMs % bucketMs[interval]));
}

/** The day (UTC) of a moment: `2026-11-20`. */
export function dayAt(atMs: number): string {
  return toTimestamp(atMs).slice(0, 10);
}

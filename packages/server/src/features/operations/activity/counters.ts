import type { ActivityCounts, ActivityPointsTable } from '../../../db/tables/platform/operations.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';

/** Returns counters that are all 0. The fields are listed so that all objects share one shape, for the hot path. */
export function noActivity(): ActivityCounts {
  return {
    validations: 0,
    activations: 0,
    integration_requests: 0,
    errors: 0,
    rate_limit_rejections: 0,
    webhook_attempts_succeeded: 0,
    webhook_attempts_failed: 0,
  };
}

/** The names of all counters, in the order of the response. */
export const activityCounters = Object.keys(noActivity()) as readonly (keyof ActivityCounts)[];

/** Adds `counted` to `sum`, in place. */
export function addCounts(sum: ActivityCounts, counted: ActivityCounts): void {
  for (const counter of activityCounters) sum[counter] += counted[counter];
}

/** The number of validations by the code of their verdict. The codes are the few of the verdict catalog. */
export type VerdictCounts = Map<string, number>;

/** Adds `counted` to `sum`, in place. */
export function addVerdicts(sum: VerdictCounts, counted: VerdictCounts): void {
  for (const [code, validations] of counted) sum.set(code, (sum.get(code) ?? 0) + validations);
}

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

import type { ActivityCounts } from '../../../db/tables/platform/activity.ts';

/** Counts nothing yet. Written out so that every object has one shape, which the hot path is faster for. */
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

/** Every counter, in the order in which they are told. */
export const activityCounters = Object.keys(noActivity()) as readonly (keyof ActivityCounts)[];

/** Adds what was counted to a sum. */
export function addCounts(sum: ActivityCounts, counted: ActivityCounts): void {
  for (const counter of activityCounters) sum[counter] += counted[counter];
}

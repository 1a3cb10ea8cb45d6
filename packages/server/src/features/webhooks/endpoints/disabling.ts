import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';

const failuresMax = 10;
const failingDays = 1;

/** The number of deliveries to an endpoint that failed since the last success, and when the first of them failed. */
export type FailureStreak = Pick<WebhookEndpointsTable, 'failed_deliveries' | 'failing_since'>;

/**
 * Returns the streak after one more delivery has failed at `at`, and whether it disables the endpoint: after at least
 * ten failures over at least a day.
 */
export function afterFailure(
  { failed_deliveries, failing_since }: FailureStreak,
  at: Timestamp,
): FailureStreak & { readonly disables: boolean } {
  const count = failed_deliveries + 1;
  const since = failing_since ?? at;
  const disables = count >= failuresMax && addDays(since, failingDays) <= at;
  return { failed_deliveries: count, failing_since: since, disables };
}

/**
 * Returns the time from which the next failed delivery disables an endpoint, if at least ten in a row have failed by
 * then; null without a streak.
 */
export function disabledFrom({ failing_since }: Pick<FailureStreak, 'failing_since'>): Timestamp | null {
  return failing_since === null ? null : addDays(failing_since, failingDays);
}

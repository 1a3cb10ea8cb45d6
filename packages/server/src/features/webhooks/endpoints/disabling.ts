import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';

const failuresMax = 10;
const failingDays = 1;

/** Deliveries of an endpoint that ended as failed since one succeeded. */
export type FailureStreak = Pick<WebhookEndpointsTable, 'failed_deliveries' | 'failing_since'>;

/** The streak after one more delivery ended as failed at `at`, and whether it is long enough to disable the endpoint. */
export function afterFailure(
  { failed_deliveries, failing_since }: FailureStreak,
  at: Timestamp,
): FailureStreak & { readonly disables: boolean } {
  const count = failed_deliveries + 1;
  const since = failing_since ?? at;
  const disables = count >= failuresMax && addDays(since, failingDays) <= at;
  return { failed_deliveries: count, failing_since: since, disables };
}

import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';

/** The days before a trial's end at which its owners are reminded. A shorter trial is reminded of at once. */
const reminderDays = 3;

type Trial = Pick<SubscriptionsTable, 'status' | 'trial_ends_at'>;

/** Returns when the owners are reminded that a trial ends, by the provider's clock; null without a running trial. */
export function trialReminderAt({ status, trial_ends_at }: Trial): Timestamp | null {
  return status === 'trialing' && trial_ends_at !== null ? addDays(trial_ends_at, -reminderDays) : null;
}

/** Returns whether a trial is in its last days at `now`, a time of the provider's clock. */
export function isTrialEnding<Row extends Trial>(
  row: Row,
  now: Timestamp,
): row is Row & { readonly trial_ends_at: Timestamp } {
  const reminderAt = trialReminderAt(row);
  return reminderAt !== null && reminderAt <= now && row.trial_ends_at !== null && now < row.trial_ends_at;
}

import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { trialReminderAt } from './trial.ts';

/** The stages of a missing payment in their order. The owners get a mail at each. */
export const dunningStages = ['failed', 'mid_grace', 'last_day', 'suspended'] as const;
export type DunningStage = (typeof dunningStages)[number];

type Overdue = Pick<SubscriptionsTable, 'past_due_since' | 'grace_ends_at'>;

/** Returns when each stage begins. A short grace period skips `mid_grace` and `last_day`. */
function stageTimes({ past_due_since, grace_ends_at }: Overdue): ReadonlyMap<DunningStage, Timestamp> {
  const times = new Map<DunningStage, Timestamp>();
  if (past_due_since === null || grace_ends_at === null) return times;
  const middle = toTimestamp((toEpochMs(past_due_since) + toEpochMs(grace_ends_at)) / 2);
  const lastDay = addDays(grace_ends_at, -1);
  times.set('failed', past_due_since);
  if (middle < lastDay) times.set('mid_grace', middle);
  if (lastDay > past_due_since) times.set('last_day', lastDay);
  times.set('suspended', grace_ends_at);
  return times;
}

/** Returns the stages that have started at `now`, a time of the provider's clock. */
export function stagesBegun(
  subscription: Overdue & Pick<SubscriptionsTable, 'status'>,
  now: Timestamp,
): DunningStage[] {
  const times = stageTimes(subscription);
  // The provider may give up before the grace period ends.
  const hasGivenUp = subscription.status === 'unpaid';
  return dunningStages.filter((stage) => {
    const begins = times.get(stage);
    return begins !== undefined && (begins <= now || (hasGivenUp && stage === 'suspended'));
  });
}

/** Providers renew some time after a period ends, so the check waits for one hour. */
const renewalSlackMs = 3_600_000;
const dayMs = 86_400_000;

type Checked = Overdue &
  Pick<SubscriptionsTable, 'status' | 'current_period_ends_at' | 'trial_ends_at' | 'pending_at' | 'discount_ends_at'>;

/**
 * Returns when a subscription must be synced again even without an event, by the provider's clock; null once it has
 * ended. Without a stage or an end ahead that is one day after `now`.
 */
export function nextCheckAt(subscription: Checked, isEnded: boolean, now: Timestamp): Timestamp | null {
  if (isEnded) return null;
  const { current_period_ends_at, trial_ends_at, pending_at, discount_ends_at } = subscription;
  const ends = [current_period_ends_at, trial_ends_at, pending_at, discount_ends_at].filter((end) => end !== null);
  const reminders = [trialReminderAt(subscription)].filter((time) => time !== null);
  const later = ends.map((end) => toTimestamp(toEpochMs(end) + renewalSlackMs));
  const times = [...stageTimes(subscription).values(), ...reminders, ...later].filter((time) => time > now).sort();
  return times[0] ?? toTimestamp(toEpochMs(now) + dayMs);
}

import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';

/** What the owners are told of a missing payment, in this order. */
export const dunningStages = ['failed', 'mid_grace', 'last_day', 'suspended'] as const;
export type DunningStage = (typeof dunningStages)[number];

type Overdue = Pick<SubscriptionsTable, 'past_due_since' | 'grace_ends_at'>;

/** When each stage begins. A short time of grace has no room for all of them. */
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

/** The stages that have begun. */
export function stagesBegun(
  subscription: Overdue & Pick<SubscriptionsTable, 'status'>,
  now: Timestamp,
): DunningStage[] {
  const times = stageTimes(subscription);
  // The provider may give up before the time of grace is over.
  const isOver = subscription.status === 'unpaid';
  return dunningStages.filter((stage) => {
    const begins = times.get(stage);
    return begins !== undefined && (begins <= now || (isOver && stage === 'suspended'));
  });
}

/** A provider takes its time to renew: it is asked this much later. */
const renewalSlackMs = 3_600_000;
const dayMs = 86_400_000;

type Checked = Overdue & Pick<SubscriptionsTable, 'status' | 'current_period_ends_at' | 'trial_ends_at' | 'pending_at'>;

/** When a subscription is to be read again whatever events say, by the provider's clock; null once it has ended. */
export function nextCheckAt(subscription: Checked, isEnded: boolean, now: Timestamp): Timestamp | null {
  if (isEnded) return null;
  const { current_period_ends_at, trial_ends_at, pending_at } = subscription;
  const ends = [current_period_ends_at, trial_ends_at, pending_at].filter((end) => end !== null);
  const later = ends.map((end) => toTimestamp(toEpochMs(end) + renewalSlackMs));
  const times = [...stageTimes(subscription).values(), ...later].filter((time) => time > now).sort();
  return times[0] ?? toTimestamp(toEpochMs(now) + dayMs);
}

import type { BillingInterval, SubscriptionStatus, SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Discount, PlanPrice, ProviderInvoice } from '../../../payments/provider.ts';

/**
 * Access that a subscription gives its tenant. `none`: its first payment is missing; `served`: its plan; `suspended`:
 * its plan, but the tenant is suspended; `ended`: nothing.
 */
export type Access = 'none' | 'served' | 'suspended' | 'ended';

const endedStates: ReadonlySet<SubscriptionStatus> = new Set(['canceled', 'incomplete_expired']);
const overdueStates: ReadonlySet<SubscriptionStatus> = new Set(['past_due', 'unpaid']);

/** Returns true when the subscription has ended for good: the provider never charges it again. */
export function isEnded(status: SubscriptionStatus): boolean {
  return endedStates.has(status);
}

type Judged = Pick<SubscriptionsTable, 'status' | 'grace_ends_at'>;

/** Returns the access that a subscription gives at `now`, a time of the provider's clock. */
export function accessOf({ status, grace_ends_at }: Judged, now: Timestamp): Access {
  if (isEnded(status)) return 'ended';
  if (status === 'incomplete') return 'none';
  if (status === 'trialing' || status === 'active') return 'served';
  if (status === 'past_due' && grace_ends_at !== null && now < grace_ends_at) return 'served';
  return 'suspended';
}

/** The start of the missing payment and the end of the grace period; both null while nothing is overdue. */
export interface Overdue {
  readonly past_due_since: Timestamp | null;
  readonly grace_ends_at: Timestamp | null;
}

interface OverdueInput {
  readonly status: SubscriptionStatus;
  readonly invoices: readonly ProviderInvoice[];
  /** The stored `past_due_since`. */
  readonly known: Timestamp | null;
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  readonly graceDays: number;
}

/**
 * Returns when the missing payment began and when its grace period ends. The grace period starts when the oldest
 * invoice that is open, and that the provider has tried to collect, was finalized. The result is computed from the
 * invoices, so that late, repeated and lost events lead to the same grace period.
 */
export function overdueOf({ status, invoices, known, now, graceDays }: OverdueInput): Overdue {
  if (!overdueStates.has(status)) return { past_due_since: null, grace_ends_at: null };
  const failures = invoices
    .filter((invoice) => invoice.status === 'open' && invoice.attemptCount > 0)
    .map((invoice) => invoice.finalizedAt ?? invoice.createdAt)
    .sort();
  const since = failures[0] ?? known ?? now;
  return { past_due_since: since, grace_ends_at: addDays(since, graceDays) };
}

type DiscountColumns = Pick<
  SubscriptionsTable,
  'coupon_code' | 'discount_basis_points' | 'discount_amount' | 'discount_duration' | 'discount_ends_at'
>;

const none: DiscountColumns = {
  coupon_code: null,
  discount_basis_points: null,
  discount_amount: null,
  discount_duration: null,
  discount_ends_at: null,
};

/** Returns the columns that store a subscription's discount. A discount that has ended by `now` counts as absent. */
export function discountColumns(discount: Discount | null, now: Timestamp): DiscountColumns {
  if (discount === null) return none;
  const { couponCode, percentOff, amountOff, duration, endsAt } = discount;
  if (endsAt !== null && endsAt <= now) return none;
  return {
    coupon_code: couponCode,
    discount_basis_points: percentOff === null ? null : Math.round(percentOff * 100),
    discount_amount: amountOff,
    discount_duration: duration,
    discount_ends_at: endsAt,
  };
}

/** The days before a trial's end at which its owners are reminded. A shorter trial causes a reminder at once. */
const reminderDays = 3;

type Trial = Pick<SubscriptionsTable, 'status' | 'trial_ends_at'>;

/** Returns when the owners are reminded that a trial ends, by the provider's clock; null without a running trial. */
function trialReminderAt({ status, trial_ends_at }: Trial): Timestamp | null {
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

/** The stages of a missing payment in their order. The owners get a mail at each. */
const dunningStages = ['failed', 'mid_grace', 'last_day', 'suspended'] as const;
export type DunningStage = (typeof dunningStages)[number];

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

type Current = Pick<SubscriptionsTable, 'plan_code' | 'interval' | 'amount'>;

/** `amount` is in minor units. */
const perYear = (amount: number, interval: BillingInterval) => (interval === 'year' ? amount : amount * 12);

/**
 * Returns when a change of plan takes effect: an upgrade now, a downgrade at the end of the paid period. Within one
 * plan the longer interval is the upgrade. Between two plans the upgrade is the plan that costs more in the current
 * interval. If the target is not sold in the current interval, `comparable` is null, and the plan that costs more per
 * year is the upgrade. `comparable` is the target's price in the current interval and currency, in minor units.
 */
export function changeTimeOf(current: Current, target: PlanPrice, comparable: number | null): 'now' | 'period_end' {
  if (current.plan_code === target.planCode) {
    if (current.interval !== target.interval) return target.interval === 'year' ? 'now' : 'period_end';
    return target.amount >= current.amount ? 'now' : 'period_end';
  }
  const before = comparable === null ? perYear(current.amount, current.interval) : current.amount;
  const after = comparable ?? perYear(target.amount, target.interval);
  return after >= before ? 'now' : 'period_end';
}

import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { PaymentProviderError } from '../provider.ts';
import { recordEvent, type SandboxSubscription, subscriptionOf, type Work } from './state.ts';

const reminderDays = 3;
/** Stripe's limit. */
const trialMaxDays = 730;

type Trial = Pick<
  SandboxSubscription,
  'status' | 'trialEndsAt' | 'trialReminderAt' | 'anchorAt' | 'currentPeriodEndsAt'
>;

/**
 * Returns the fields of a subscription in its trial. The trial is its current period, and the paid periods are counted
 * from its end. The reminder of a trial that ends sooner than in 3 days is due at once.
 */
export function trialUntil(endsAt: Timestamp, at: Timestamp): Trial {
  const reminderAt = addDays(endsAt, -reminderDays);
  return {
    status: 'trialing',
    trialEndsAt: endsAt,
    trialReminderAt: reminderAt < at ? at : reminderAt,
    anchorAt: endsAt,
    currentPeriodEndsAt: endsAt,
  };
}

/** Reminds the customer that the trial ends. */
export function remindOfTrialEnd(work: Work, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  subscription.trialReminderAt = null;
  recordEvent(work, 'customer.subscription.trial_will_end', subscription.id, at);
}

/**
 * Moves the end of a running trial. Has no effect when it is the same. Throws `refused` outside a trial, and for an end
 * that is past or more than 730 days ahead.
 */
export function extendTrial(work: Work, endsAt: Timestamp, at: Timestamp): void {
  const subscription = subscriptionOf(work);
  if (subscription.status !== 'trialing') {
    throw new PaymentProviderError('refused', 'The subscription is not in a trial, so its trial cannot be extended.');
  }
  if (endsAt === subscription.trialEndsAt) return;
  if (endsAt <= at || endsAt > addDays(at, trialMaxDays)) {
    throw new PaymentProviderError('refused', `A trial must end in the future, at most ${trialMaxDays} days from now.`);
  }
  Object.assign(subscription, trialUntil(endsAt, at));
  recordEvent(work, 'customer.subscription.updated', subscription.id, at);
}

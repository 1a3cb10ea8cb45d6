import type Stripe from 'stripe';
import type { BillingInterval, SubscriptionStatus } from '../../db/tables/platform/billing.ts';
import { PaymentProviderError, type ProviderSubscription } from '../provider.ts';
import { idOf, momentOf, optionalMoment, referenceKey } from './context.ts';
import { planCodeOf } from './prices.ts';

const statuses: readonly string[] = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] satisfies SubscriptionStatus[];

/** What of a subscription is read with it: its schedule with the prices that it will have. */
export const subscriptionExpansion = ['schedule.phases.items.price'];

function unknown(id: string, what: string): PaymentProviderError {
  return new PaymentProviderError('refused', `The subscription ${id} at Stripe has ${what} that is not known here.`);
}

/** The one thing that a subscription of the service's is for. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (item === undefined) throw unknown(id, 'no item or one');
  return item;
}

function priceOf(id: string, price: Stripe.Price) {
  const interval = price.recurring?.interval;
  const isKnown = (interval === 'month' || interval === 'year') && price.recurring?.interval_count === 1;
  if (!isKnown || price.unit_amount === null) throw unknown(id, 'a price');
  return { planCode: planCodeOf(price), interval: interval as BillingInterval, amount: price.unit_amount };
}

/** The schedule that governs a subscription at present; null when none does. */
export function scheduleOf({ schedule }: Stripe.Subscription): Stripe.SubscriptionSchedule | null {
  if (schedule === null || typeof schedule === 'string') return null;
  return schedule.status === 'active' || schedule.status === 'not_started' ? schedule : null;
}

/** What its schedule will make of a subscription after the current period. */
function pendingChangeOf(subscription: Stripe.Subscription): ProviderSubscription['pendingChange'] {
  const schedule = scheduleOf(subscription);
  const currentEnd = schedule?.current_phase?.end_date;
  if (schedule === null || currentEnd === undefined) return null;
  const next = schedule.phases.find((phase) => phase.start_date >= currentEnd);
  const price = next?.items[0]?.price;
  if (next === undefined || price === undefined || typeof price === 'string' || 'deleted' in price) return null;
  return { ...priceOf(subscription.id, price as Stripe.Price), at: momentOf(next.start_date) };
}

/** True when it will end with its period: said so, or by a moment that lies not after it, as the portal says it. */
export function endsWithPeriod(subscription: Stripe.Subscription): boolean {
  const { cancel_at_period_end, cancel_at } = subscription;
  return cancel_at_period_end || (cancel_at !== null && cancel_at <= itemOf(subscription).current_period_end);
}

/** As the interface has it. Periods are the item's since the API of 2025. */
export function toSubscription(subscription: Stripe.Subscription): ProviderSubscription {
  const { id, status } = subscription;
  if (!statuses.includes(status)) throw unknown(id, 'a state');
  const item = itemOf(subscription);
  return {
    id,
    customerId: idOf(subscription.customer) ?? '',
    reference: subscription.metadata[referenceKey] ?? null,
    status: status as SubscriptionStatus,
    ...priceOf(id, item.price),
    currency: subscription.currency,
    currentPeriodStartsAt: momentOf(item.current_period_start),
    currentPeriodEndsAt: momentOf(item.current_period_end),
    trialEndsAt: optionalMoment(subscription.trial_end),
    cancelAtPeriodEnd: status !== 'canceled' && endsWithPeriod(subscription),
    canceledAt: optionalMoment(subscription.canceled_at),
    pendingChange: status === 'canceled' ? null : pendingChangeOf(subscription),
    createdAt: momentOf(subscription.created),
  };
}

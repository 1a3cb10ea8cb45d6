import type Stripe from 'stripe';
import type { BillingInterval, SubscriptionStatus } from '../../db/tables/platform/billing.ts';
import { PaymentProviderError, type ProviderSubscription } from '../provider.ts';
import { idOf, momentOf, optionalMoment, referenceKey } from './context.ts';
import { discountExpansion, discountOf } from './discount.ts';
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

/** The objects that are expanded in a subscription: the prices of its schedule's phases, its discounts, its customer. */
export const subscriptionExpansion = ['schedule.phases.items.price', 'customer', ...discountExpansion];

function unsupported(id: string, what: string): PaymentProviderError {
  return new PaymentProviderError(
    'refused',
    `The subscription ${id} at Stripe has ${what} that this version does not support. Update the service.`,
  );
}

/** Returns the only item of a subscription. Throws `refused` for a subscription without items. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (item === undefined) throw unsupported(id, 'an item list');
  return item;
}

function priceOf(id: string, price: Stripe.Price) {
  const interval = price.recurring?.interval;
  const isKnown = (interval === 'month' || interval === 'year') && price.recurring?.interval_count === 1;
  if (!isKnown || price.unit_amount === null) throw unsupported(id, 'a price');
  return { planCode: planCodeOf(price), interval: interval as BillingInterval, amount: price.unit_amount };
}

/** Returns the active schedule of a subscription, or null. */
export function scheduleOf({ schedule }: Stripe.Subscription): Stripe.SubscriptionSchedule | null {
  if (schedule === null || typeof schedule === 'string') return null;
  return schedule.status === 'active' || schedule.status === 'not_started' ? schedule : null;
}

/** Returns the phase after the current one of a schedule, or undefined. */
export function nextPhaseOf({
  current_phase,
  phases,
}: Stripe.SubscriptionSchedule): Stripe.SubscriptionSchedule.Phase | undefined {
  return current_phase === null ? undefined : phases.find(({ start_date }) => start_date >= current_phase.end_date);
}

/**
 * Returns whether Stripe can collect the next invoice: from a payment method of the subscription or of its customer, or
 * because the customer pays the invoices that are sent.
 */
function hasPaymentMethod(subscription: Stripe.Subscription): boolean {
  const { collection_method, default_payment_method, default_source, customer } = subscription;
  if (collection_method === 'send_invoice' || default_payment_method !== null || default_source !== null) return true;
  if (typeof customer === 'string' || customer.deleted) return false;
  return customer.invoice_settings.default_payment_method !== null || customer.default_source !== null;
}

/** Returns the plan change that the schedule of a subscription makes after the current period. */
function pendingChangeOf(subscription: Stripe.Subscription): ProviderSubscription['pendingChange'] {
  const schedule = scheduleOf(subscription);
  const next = schedule === null ? undefined : nextPhaseOf(schedule);
  const price = next?.items[0]?.price;
  if (next === undefined || price === undefined || typeof price === 'string' || 'deleted' in price) return null;
  return { ...priceOf(subscription.id, price as Stripe.Price), at: momentOf(next.start_date) };
}

/** Returns true when a subscription ends with its period: by its flag, or by a cancel time, which the billing portal sets. */
export function endsWithPeriod(subscription: Stripe.Subscription): boolean {
  const { cancel_at_period_end, cancel_at } = subscription;
  return cancel_at_period_end || (cancel_at !== null && cancel_at <= itemOf(subscription).current_period_end);
}

/** Converts a subscription of Stripe. Periods are fields of the item since the API of 2025. */
export function toSubscription(subscription: Stripe.Subscription, nowMs: number): ProviderSubscription {
  const { id, status } = subscription;
  if (!statuses.includes(status)) throw unsupported(id, 'a status');
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
    hasPaymentMethod: hasPaymentMethod(subscription),
    discount: discountOf(subscription, nowMs),
    cancelAtPeriodEnd: status !== 'canceled' && endsWithPeriod(subscription),
    canceledAt: optionalMoment(subscription.canceled_at),
    pendingChange: status === 'canceled' ? null : pendingChangeOf(subscription),
    createdAt: momentOf(subscription.created),
  };
}

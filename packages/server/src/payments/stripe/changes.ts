import type Stripe from 'stripe';
import type { Timestamp } from '../../lib/clock.ts';
import { type CostPreview, PaymentProviderError, type PlanPrice } from '../provider.ts';
import { callStripe, find, momentOf, once, type StripeContext, secondsOf } from './context.ts';
import { amountsOf, toInvoiceLine } from './invoices.ts';
import { ensurePrice } from './prices.ts';
import { releaseSchedule, scheduleNext } from './schedule.ts';
import { endsWithPeriod, itemOf, scheduleOf, subscriptionExpansion } from './subscription.ts';

/** Returns the subscription of Stripe's API; undefined for an unknown id. */
export function findStripeSubscription({ client }: StripeContext, id: string) {
  return find(() => client.subscriptions.retrieve(id, { expand: subscriptionExpansion }));
}

/** Returns the subscription of Stripe's API. Throws `not_found` for an unknown id. */
export async function readStripeSubscription(context: StripeContext, id: string): Promise<Stripe.Subscription> {
  const subscription = await findStripeSubscription(context, id);
  if (subscription === undefined)
    throw new PaymentProviderError('not_found', 'Stripe has no such subscription. Reload, then try again.');
  return subscription;
}

async function readChangeable(context: StripeContext, id: string): Promise<Stripe.Subscription> {
  const subscription = await readStripeSubscription(context, id);
  if (subscription.status === 'active' || subscription.status === 'trialing') return subscription;
  throw new PaymentProviderError(
    'refused',
    `The subscription is ${subscription.status}. Only an active subscription can change its plan. Pay its open invoice, or start a new one.`,
  );
}

/**
 * Changes the plan now. Stripe reverts a prorated change when its invoice cannot be paid, so the schedule is released
 * afterwards.
 */
export async function changeNow(
  context: StripeContext,
  id: string,
  price: PlanPrice,
  isProrated: boolean,
  key: string,
): Promise<void> {
  const subscription = await readChangeable(context, id);
  const item = itemOf(subscription);
  if (!isProrated && item.price.recurring?.interval !== price.interval) {
    throw new PaymentProviderError(
      'refused',
      'Another interval starts a new period, which Stripe charges at once. Prorate the change, or make it at the end of the period.',
    );
  }
  const items = [{ id: item.id, price: await ensurePrice(context, price), quantity: 1 }];
  const params: Stripe.SubscriptionUpdateParams = isProrated
    ? { items, proration_behavior: 'always_invoice', payment_behavior: 'error_if_incomplete' }
    : { items, proration_behavior: 'none' };
  await callStripe(() => context.client.subscriptions.update(id, params, once(`change-${id}-${key}`)));
  await releaseSchedule(context, subscription);
}

/** Schedules a plan change for the end of the period. */
export async function changeAtPeriodEnd(
  context: StripeContext,
  id: string,
  price: PlanPrice,
  key: string,
): Promise<void> {
  const subscription = await readChangeable(context, id);
  if (endsWithPeriod(subscription)) {
    throw new PaymentProviderError(
      'refused',
      'The subscription ends with its period. Resume it before you change the plan.',
    );
  }
  const next = { id: await ensurePrice(context, price), interval: price.interval };
  await scheduleNext(context, subscription, next, key);
}

/** Implements `extendTrial` of the provider. */
export async function extendStripeTrial(context: StripeContext, id: string, trialEndsAt: Timestamp): Promise<void> {
  const subscription = await readStripeSubscription(context, id);
  if (subscription.status !== 'trialing') {
    throw new PaymentProviderError(
      'refused',
      `The subscription is ${subscription.status}, and not in its trial. Give a coupon instead.`,
    );
  }
  if (scheduleOf(subscription) !== null) {
    throw new PaymentProviderError(
      'refused',
      'The plan changes when the trial ends. Drop this change before you move the end of the trial.',
    );
  }
  const params = { trial_end: secondsOf(trialEndsAt), proration_behavior: 'none' } as const;
  await callStripe(() => context.client.subscriptions.update(id, params, once()));
}

/** Drops the pending plan change, if any. */
export async function dropPending(context: StripeContext, id: string): Promise<void> {
  await releaseSchedule(context, await readStripeSubscription(context, id));
}

/** Implements `setCancelAtPeriodEnd` of the provider. */
export async function setStripeCancelAtPeriodEnd(context: StripeContext, id: string, cancels: boolean): Promise<void> {
  const subscription = await readStripeSubscription(context, id);
  if (subscription.status === 'canceled')
    throw new PaymentProviderError('refused', 'The subscription has ended. Start a new one.');
  if (endsWithPeriod(subscription) === cancels) return;
  if (cancels) await releaseSchedule(context, subscription);
  const { cancel_at, cancel_at_period_end } = subscription;
  const isCanceledByTime = !cancels && cancel_at !== null && !cancel_at_period_end;
  const params: Stripe.SubscriptionUpdateParams = isCanceledByTime
    ? { cancel_at: '' }
    : { cancel_at_period_end: cancels };
  await callStripe(() => context.client.subscriptions.update(id, params, once()));
}

/** Cancels a subscription at once. Has no effect on a subscription that has ended. */
export async function cancelStripeNow(context: StripeContext, id: string): Promise<void> {
  const subscription = await readStripeSubscription(context, id);
  const isOver = subscription.status === 'canceled' || subscription.status === 'incomplete_expired';
  if (!isOver) await callStripe(() => context.client.subscriptions.cancel(id, {}, once()));
}

function toPreview(invoice: Stripe.Invoice, at: string): CostPreview {
  const { currency, amount_due: amountDue, lines } = invoice;
  const { discount, tax } = amountsOf(invoice);
  return { currency, amountDue, discount, tax, at, lines: lines.data.map(toInvoiceLine) };
}

/** Implements `previewChange` of the provider. */
export async function previewStripeChange(context: StripeContext, id: string, price: PlanPrice): Promise<CostPreview> {
  const subscription = await readStripeSubscription(context, id);
  const items = [{ id: itemOf(subscription).id, price: await ensurePrice(context, price), quantity: 1 }];
  const params = { subscription: id, subscription_details: { items, proration_behavior: 'always_invoice' } } as const;
  const invoice = await callStripe(() => context.client.invoices.createPreview(params, once()));
  return toPreview(invoice, context.clock.now());
}

/** Implements `previewRenewal` of the provider. */
export async function previewStripeRenewal(context: StripeContext, id: string): Promise<CostPreview | undefined> {
  const subscription = await readStripeSubscription(context, id);
  if (subscription.status === 'canceled' || endsWithPeriod(subscription)) return undefined;
  const invoice = await callStripe(() => context.client.invoices.createPreview({ subscription: id }, once()));
  return toPreview(invoice, momentOf(itemOf(subscription).current_period_end));
}

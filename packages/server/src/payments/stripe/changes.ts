import type Stripe from 'stripe';
import { type CostPreview, PaymentProviderError, type PlanPrice } from '../provider.ts';
import { momentOf, once, type StripeContext } from './context.ts';
import { callStripe, find } from './errors.ts';
import { toInvoiceLine } from './invoice.ts';
import { ensurePrice } from './prices.ts';
import { endsWithPeriod, itemOf, scheduleOf, subscriptionExpansion } from './subscription.ts';

/** The subscription as Stripe has it; undefined when there is none. */
export function findStripeSubscription({ client }: StripeContext, id: string) {
  return find(() => client.subscriptions.retrieve(id, { expand: subscriptionExpansion }));
}

async function read(context: StripeContext, id: string): Promise<Stripe.Subscription> {
  const subscription = await findStripeSubscription(context, id);
  if (subscription === undefined)
    throw new PaymentProviderError('not_found', 'Stripe does not know this subscription.');
  return subscription;
}

async function readChangeable(context: StripeContext, id: string): Promise<Stripe.Subscription> {
  const subscription = await read(context, id);
  if (subscription.status === 'active' || subscription.status === 'trialing') return subscription;
  throw new PaymentProviderError('refused', `The subscription is ${subscription.status}: only an active one changes.`);
}

/** Lets a subscription go on as it is: what its schedule would have changed is dropped. */
async function releaseSchedule({ client }: StripeContext, subscription: Stripe.Subscription): Promise<void> {
  const schedule = scheduleOf(subscription);
  if (schedule !== null) await callStripe(() => client.subscriptionSchedules.release(schedule.id, {}, once()));
}

/** A change now. Stripe itself takes it back when the invoice cannot be paid, so a schedule is released only afterwards. */
export async function changeNow(context: StripeContext, id: string, price: PlanPrice, key: string): Promise<void> {
  const subscription = await readChangeable(context, id);
  const items = [{ id: itemOf(subscription).id, price: await ensurePrice(context, price), quantity: 1 }];
  const params = { items, proration_behavior: 'always_invoice', payment_behavior: 'error_if_incomplete' } as const;
  await callStripe(() => context.client.subscriptions.update(id, params, once(`change-${id}-${key}`)));
  await releaseSchedule(context, subscription);
}

/** A change when the period ends: a schedule of the rest of this period and of the next one, which then lets go. */
export async function changeAtPeriodEnd(
  context: StripeContext,
  id: string,
  price: PlanPrice,
  key: string,
): Promise<void> {
  const { client } = context;
  const subscription = await readChangeable(context, id);
  if (endsWithPeriod(subscription)) {
    throw new PaymentProviderError('refused', 'The subscription ends with its period: resume it before changing it.');
  }
  const priceId = await ensurePrice(context, price);
  const schedule =
    scheduleOf(subscription) ??
    (await callStripe(() =>
      client.subscriptionSchedules.create({ from_subscription: id }, once(`schedule-${id}-${key}`)),
    ));
  const item = itemOf(subscription);
  const start_date = schedule.current_phase?.start_date ?? item.current_period_start;
  const current = {
    items: [{ price: item.price.id, quantity: 1 }],
    start_date,
    end_date: item.current_period_end,
  };
  const next = {
    items: [{ price: priceId, quantity: 1 }],
    duration: { interval: price.interval, interval_count: 1 },
    proration_behavior: 'none' as const,
  };
  const params: Stripe.SubscriptionScheduleUpdateParams = { end_behavior: 'release', phases: [current, next] };
  await callStripe(() => client.subscriptionSchedules.update(schedule.id, params, once(`phases-${id}-${key}`)));
}

/** Drops a change that waits; where none does nothing changes. */
export async function dropPending(context: StripeContext, id: string): Promise<void> {
  await releaseSchedule(context, await read(context, id));
}

/** Lets a subscription end with its period, or go on after all. */
export async function setStripeCancelAtPeriodEnd(context: StripeContext, id: string, cancels: boolean): Promise<void> {
  const subscription = await read(context, id);
  if (subscription.status === 'canceled') throw new PaymentProviderError('refused', 'The subscription has ended.');
  if (endsWithPeriod(subscription) === cancels) return;
  if (cancels) await releaseSchedule(context, subscription);
  const { cancel_at, cancel_at_period_end } = subscription;
  const byMoment = !cancels && cancel_at !== null && !cancel_at_period_end;
  const params: Stripe.SubscriptionUpdateParams = byMoment ? { cancel_at: '' } : { cancel_at_period_end: cancels };
  await callStripe(() => context.client.subscriptions.update(id, params, once()));
}

/** Ends a subscription at once; of one that has ended nothing changes. */
export async function cancelStripeNow(context: StripeContext, id: string): Promise<void> {
  const subscription = await read(context, id);
  const isOver = subscription.status === 'canceled' || subscription.status === 'incomplete_expired';
  if (!isOver) await callStripe(() => context.client.subscriptions.cancel(id, {}, once()));
}

function toPreview(invoice: Stripe.Invoice, at: string): CostPreview {
  const { currency, amount_due: amountDue, lines } = invoice;
  return { currency, amountDue, at, lines: lines.data.map(toInvoiceLine) };
}

/** As `previewChange` of the provider. */
export async function previewStripeChange(context: StripeContext, id: string, price: PlanPrice): Promise<CostPreview> {
  const subscription = await read(context, id);
  const items = [{ id: itemOf(subscription).id, price: await ensurePrice(context, price), quantity: 1 }];
  const params = { subscription: id, subscription_details: { items, proration_behavior: 'always_invoice' } } as const;
  const invoice = await callStripe(() => context.client.invoices.createPreview(params, once()));
  return toPreview(invoice, context.clock.now());
}

/** As `previewRenewal` of the provider. */
export async function previewStripeRenewal(context: StripeContext, id: string): Promise<CostPreview | undefined> {
  const subscription = await read(context, id);
  if (subscription.status === 'canceled' || endsWithPeriod(subscription)) return undefined;
  const invoice = await callStripe(() => context.client.invoices.createPreview({ subscription: id }, once()));
  return toPreview(invoice, momentOf(itemOf(subscription).current_period_end));
}

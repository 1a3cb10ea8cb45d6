import type Stripe from 'stripe';
import { callStripe, idOf, once, type StripeContext } from './context.ts';
import { itemOf, nextPhaseOf, scheduleOf } from './subscription.ts';

// A plan change at the end of the period is a schedule of Stripe with two phases: the rest of the period, and the next
// one. Then Stripe releases the subscription from it.

/** The price of the period that follows. */
interface NextPrice {
  readonly id: string;
  readonly interval: 'month' | 'year';
}

/** Releases the schedule of a subscription, which drops its pending change. */
export async function releaseSchedule({ client }: StripeContext, subscription: Stripe.Subscription): Promise<void> {
  const schedule = scheduleOf(subscription);
  if (schedule !== null) await callStripe(() => client.subscriptionSchedules.release(schedule.id, {}, once()));
}

/** Schedules a price for the next period, in place of a pending change. */
export async function scheduleNext(
  context: StripeContext,
  subscription: Stripe.Subscription,
  price: NextPrice,
  key: string,
): Promise<void> {
  const { client } = context;
  const { id } = subscription;
  const schedule =
    scheduleOf(subscription) ??
    (await callStripe(() =>
      client.subscriptionSchedules.create({ from_subscription: id }, once(`schedule-${id}-${key}`)),
    ));
  await writePhases(context, subscription, schedule, price, once(`phases-${id}-${key}`));
}

/** Writes the discounts of a subscription into its pending change, which would drop discounts that it does not name. */
export async function refreshSchedule(context: StripeContext, subscription: Stripe.Subscription): Promise<void> {
  const schedule = scheduleOf(subscription);
  const price = schedule && nextPhaseOf(schedule)?.items[0]?.price;
  if (schedule === null || !price || typeof price === 'string' || 'deleted' in price) return;
  const interval = (price as Stripe.Price).recurring?.interval === 'year' ? 'year' : 'month';
  await writePhases(context, subscription, schedule, { id: price.id, interval }, once());
}

async function writePhases(
  { client }: StripeContext,
  subscription: Stripe.Subscription,
  schedule: Stripe.SubscriptionSchedule,
  price: NextPrice,
  options: ReturnType<typeof once>,
): Promise<void> {
  const item = itemOf(subscription);
  const discounts = subscription.discounts.map((discount) => ({ discount: idOf(discount) ?? '' }));
  const kept = discounts.length > 0 && { discounts };
  const current = {
    items: [{ price: item.price.id, quantity: 1 }],
    start_date: schedule.current_phase?.start_date ?? item.current_period_start,
    end_date: item.current_period_end,
    // The period of a trial is the trial.
    ...(subscription.status === 'trialing' && { trial: true }),
    ...kept,
  };
  const next = {
    items: [{ price: price.id, quantity: 1 }],
    duration: { interval: price.interval, interval_count: 1 },
    proration_behavior: 'none' as const,
    ...kept,
  };
  const params: Stripe.SubscriptionScheduleUpdateParams = { end_behavior: 'release', phases: [current, next] };
  await callStripe(() => client.subscriptionSchedules.update(schedule.id, params, options));
}

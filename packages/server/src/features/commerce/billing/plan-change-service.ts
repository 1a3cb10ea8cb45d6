import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { askProvider } from '../../../payments/ask-provider.ts';
import { PaymentProviderError, type PlanPrice } from '../../../payments/provider.ts';
import { freePlanCode } from '../../accounts/tenants/free-plan.ts';
import { presentLines } from '../invoices/invoice.ts';
import { findOffer, findPlanByCode } from '../plans/service.ts';
import { presentSubscription } from '../subscriptions/subscription.ts';
import { openCheckout } from './checkout-service.ts';
import { type Change, copyChange, readCurrent, requireCurrent } from './current-service.ts';
import { changeTimeOf } from './plan-change.ts';
import type { ChangePlan, PlanChange, PlanPreview } from './schemas.ts';
import { advanceChangeNumber } from './sync-queries.ts';

/** What is asked of a subscription, and when it would take effect. */
type Plan =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'free' }
  | { readonly kind: 'change'; readonly price: PlanPrice; readonly when: 'now' | 'period_end' };

/** What the asked plan means for a subscription. Throws 422 for a plan that is not offered. */
async function planFor({ services }: Change, current: SubscriptionsTable, wanted: ChangePlan): Promise<Plan> {
  if (wanted.plan_code === freePlanCode) return { kind: 'free' };
  const interval = wanted.interval ?? current.interval;
  // What is had is kept, although it may no longer be offered, nor at this price.
  if (wanted.plan_code === current.plan_code && interval === current.interval) return { kind: 'unchanged' };
  if (wanted.currency !== undefined && wanted.currency !== current.currency) {
    throw validationError({ field: 'currency', message: `must be that of the subscription, ${current.currency}` });
  }
  const offer = { planCode: wanted.plan_code, interval, currency: current.currency };
  const price = await findOffer(services.platform, offer);
  const plan = await findPlanByCode(services.platform, wanted.plan_code);
  const comparable = plan?.prices.find(
    (other) => other.interval === current.interval && other.currency === current.currency,
  );
  return { kind: 'change', price, when: changeTimeOf(current, price, comparable?.amount ?? null) };
}

/** Shows what a change of plan would cost and when, and changes nothing. */
export async function previewPlan(change: Change, wanted: ChangePlan): Promise<PlanPreview> {
  const { services, payments } = change;
  const current = await readCurrent(change);
  const at = await askProvider(() => payments.now());
  const nothing = { plan_code: wanted.plan_code, takes_effect_at: at, currency: null, amount_due: 0, lines: [] };
  if (current === undefined) {
    if (wanted.plan_code === freePlanCode) return { ...nothing, interval: null, takes_effect: 'unchanged' };
    const price = await findOffer(services.platform, offerOf(wanted));
    const { interval, currency, amount } = price;
    const period = { period_starts_at: null, period_ends_at: null };
    const lines = [{ description: price.planName, quantity: 1, amount, ...period }];
    return { ...nothing, interval, takes_effect: 'checkout', currency, amount_due: amount, lines };
  }
  const plan = await planFor(change, current, wanted);
  const { currency, interval, current_period_ends_at: endsAt } = current;
  if (plan.kind === 'unchanged') return { ...nothing, interval, currency, takes_effect: 'unchanged' };
  if (plan.kind === 'free') {
    return { ...nothing, interval: null, currency, takes_effect: 'period_end', takes_effect_at: endsAt };
  }
  const { price, when } = plan;
  if (when === 'period_end') {
    const line = { description: price.planName, quantity: 1, amount: price.amount };
    const lines = [{ ...line, period_starts_at: endsAt, period_ends_at: null }];
    const later = { takes_effect: when, takes_effect_at: endsAt, amount_due: price.amount, lines };
    return { ...nothing, interval: price.interval, currency, ...later };
  }
  const cost = await askProvider(() => payments.previewChange(current.provider_subscription_id, price));
  const now = { takes_effect: when, takes_effect_at: cost.at, amount_due: cost.amountDue };
  return { ...nothing, interval: price.interval, currency, ...now, lines: presentLines(cost.lines) };
}

function offerOf({ plan_code, interval = 'month', currency }: ChangePlan) {
  return { planCode: plan_code, interval, ...(currency && { currency }) };
}

/**
 * Changes the plan: an upgrade now, for the difference, a downgrade when the period ends, and the free plan by not renewing.
 * The plan that is had already takes back what was to change. Without a subscription the answer says where to pay for one.
 * Throws 402 `BILLING.PAYMENT_FAILED`, and changes nothing then.
 */
export async function changePlan(change: Change, wanted: ChangePlan): Promise<PlanChange> {
  const current = await readCurrent(change);
  if (current === undefined) {
    if (wanted.plan_code === freePlanCode) {
      return { takes_effect: 'unchanged', checkout_url: null, subscription: null };
    }
    const price = await findOffer(change.services.platform, offerOf(wanted));
    return { takes_effect: 'checkout', checkout_url: await openCheckout(change, price), subscription: null };
  }
  const plan = await planFor(change, current, wanted);
  if (plan.kind === 'free') return answer('period_end', await setCancellation(change, current, true));
  if (plan.kind === 'unchanged') return answer('unchanged', await takeBack(change, current));
  assertPaid(current);
  await (plan.when === 'now' ? changeNow : changeLater)(change, current, plan.price);
  const changed = await copyChange(change, current, {
    ...auditOf(current.id, 'SUBSCRIPTION.PLAN_CHANGED'),
    changes: [
      { field: 'plan_code', old: current.plan_code, new: plan.price.planCode },
      { field: 'interval', old: current.interval, new: plan.price.interval },
      { field: 'takes_effect', old: null, new: plan.when },
    ],
  });
  return answer(plan.when, changed);
}

function answer(takes_effect: PlanChange['takes_effect'], row: SubscriptionsTable | undefined): PlanChange {
  return { takes_effect, checkout_url: null, subscription: row === undefined ? null : presentSubscription(row) };
}

function assertPaid({ status }: SubscriptionsTable): void {
  if (status === 'active' || status === 'trialing') return;
  throw new AppError('BILLING.REFUSED', 'A payment is missing. Pay the open invoice first, then change the plan.');
}

async function changeNow(change: Change, current: SubscriptionsTable, price: PlanPrice): Promise<void> {
  const { payments } = change;
  const id = current.provider_subscription_id;
  await changeOnce(change, current, price, 'now');
  // Only after the payment: what is declined changes nothing.
  await askProvider(async () => {
    if (current.pending_plan_code !== null) await payments.cancelPendingChange(id);
    if (current.cancel_at_period_end) await payments.setCancelAtPeriodEnd(id, false);
  });
}

async function changeLater(change: Change, current: SubscriptionsTable, price: PlanPrice): Promise<void> {
  const id = current.provider_subscription_id;
  if (current.cancel_at_period_end) await askProvider(() => change.payments.setCancelAtPeriodEnd(id, false));
  await changeOnce(change, current, price, 'period_end');
}

/**
 * However often somebody clicks, and whatever was lost of an answer: one change is one charge, because all of them carry
 * one key. It is another one after the plan changed, or was refused to change.
 */
async function changeOnce(
  { services, payments }: Change,
  current: SubscriptionsTable,
  price: PlanPrice,
  when: 'now' | 'period_end',
): Promise<void> {
  const id = current.provider_subscription_id;
  const number = current.change_number ?? 0;
  const key = [current.id, number, price.planCode, price.interval, price.amount, when].join(':');
  await askProvider(async () => {
    try {
      await payments.changePlan(id, price, when, key);
    } catch (error) {
      // A provider that did not answer may have done it all the same: the next attempt asks with the same key.
      const isFinal = error instanceof PaymentProviderError && error.reason !== 'unavailable';
      if (isFinal) await advanceChangeNumber(services.platform, current.id, number);
      throw error;
    }
  });
}

/** Takes back a change that waits, and an end that was asked for. */
async function takeBack(change: Change, current: SubscriptionsTable): Promise<SubscriptionsTable | undefined> {
  if (current.pending_plan_code === null && !current.cancel_at_period_end) return current;
  const id = current.provider_subscription_id;
  await askProvider(async () => {
    if (current.pending_plan_code !== null) await change.payments.cancelPendingChange(id);
    if (current.cancel_at_period_end) await change.payments.setCancelAtPeriodEnd(id, false);
  });
  const changes = [{ field: 'pending_plan_code', old: current.pending_plan_code, new: null }];
  return await copyChange(change, current, { ...auditOf(current.id, 'SUBSCRIPTION.CHANGE_TAKEN_BACK'), changes });
}

async function setCancellation(
  change: Change,
  current: SubscriptionsTable,
  cancels: boolean,
): Promise<SubscriptionsTable | undefined> {
  if ((current.cancel_at_period_end === 1) === cancels) return current;
  const id = current.provider_subscription_id;
  await askProvider(() => change.payments.setCancelAtPeriodEnd(id, cancels));
  const event = cancels ? 'SUBSCRIPTION.CANCELLATION_REQUESTED' : 'SUBSCRIPTION.RESUMED';
  const changes = [{ field: 'cancel_at_period_end', old: !cancels, new: cancels }];
  return await copyChange(change, current, { ...auditOf(current.id, event), changes });
}

/** Lets the subscription end with its period, or go on after all. Throws 409 `BILLING.NO_SUBSCRIPTION`. */
export async function cancelOrResume(change: Change, cancels: boolean): Promise<SubscriptionsTable> {
  const current = await requireCurrent(change);
  return (await setCancellation(change, current, cancels)) ?? current;
}

function auditOf(resourceId: string, event: string) {
  return { event, resourceType: 'subscription', resourceId };
}

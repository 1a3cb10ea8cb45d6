import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { callProvider } from '../../../payments/call-provider.ts';
import type { ChangeTime, PlanPrice } from '../../../payments/provider.ts';
import { freePlanCode } from '../../accounts/tenants/tenant.ts';
import { auditsOf } from '../../tenant-core/audit/audit.ts';
import { presentLines } from '../invoices/invoice.ts';
import { findOffer, findPlanByCode, type Offer } from '../plans/service.ts';
import { presentSubscription } from '../subscriptions/subscription.ts';
import { type Change, callOnce } from './change-service.ts';
import { openCheckout, trialDaysOf } from './checkout-service.ts';
import { readCurrent, requireCurrent, syncChange } from './current-service.ts';
import { changeTimeOf } from './rules.ts';
import type { ChangePlan, PlanChange, PlanPreview } from './schemas.ts';

const auditOf = auditsOf('subscription');

/** The requested change of a subscription, and when it would take effect. */
type RequestedChange =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'free' }
  | { readonly kind: 'change'; readonly price: PlanPrice; readonly when: 'now' | 'period_end' };

/** Returns the change that a wanted plan means for a subscription. Throws 422 for a plan that is not offered. */
async function requestedChange(
  { services }: Change,
  current: SubscriptionsTable,
  wanted: ChangePlan,
): Promise<RequestedChange> {
  if (wanted.plan_code === freePlanCode) return { kind: 'free' };
  const interval = wanted.interval ?? current.interval;
  // A tenant keeps its plan at its price, even when the plan is archived or its price has changed.
  if (wanted.plan_code === current.plan_code && interval === current.interval) return { kind: 'unchanged' };
  if (wanted.currency !== undefined && wanted.currency !== current.currency) {
    throw validationError({
      field: 'currency',
      message: `Use the currency of the subscription, ${current.currency}.`,
    });
  }
  const offer = { planCode: wanted.plan_code, interval, currency: current.currency };
  const { price } = await findOffer(services.platform, offer);
  const plan = await findPlanByCode(services.platform, wanted.plan_code);
  const comparable = plan?.prices.find(
    (other) => other.interval === current.interval && other.currency === current.currency,
  );
  return { kind: 'change', price, when: changeTimeOf(current, price, comparable?.amount ?? null) };
}

/** Returns what a change of plan would cost and when it would take effect. Changes nothing. */
export async function previewPlan(change: Change, wanted: ChangePlan): Promise<PlanPreview> {
  const { services, payments } = change;
  const current = await readCurrent(change);
  const at = await callProvider(() => payments.now());
  const nothing = {
    plan_code: wanted.plan_code,
    takes_effect_at: at,
    currency: null,
    amount_due: 0,
    discount: 0,
    tax: 0,
    trial_days: 0,
    lines: [],
  };
  if (current === undefined) {
    if (wanted.plan_code === freePlanCode) return { ...nothing, interval: null, takes_effect: 'unchanged' };
    const offer = await findOffer(services.platform, offerOf(wanted));
    return { ...nothing, takes_effect: 'checkout', ...costOfPurchase(offer, await trialDaysOf(change, offer)) };
  }
  const requested = await requestedChange(change, current, wanted);
  const { currency, interval, current_period_ends_at: endsAt } = current;
  if (requested.kind === 'unchanged') return { ...nothing, interval, currency, takes_effect: 'unchanged' };
  if (requested.kind === 'free') {
    return { ...nothing, interval: null, currency, takes_effect: 'period_end', takes_effect_at: endsAt };
  }
  const { price, when } = requested;
  if (when === 'period_end') {
    const line = { description: price.planName, quantity: 1, amount: price.amount };
    const lines = [{ ...line, period_starts_at: endsAt, period_ends_at: null }];
    const later = { takes_effect: when, takes_effect_at: endsAt, amount_due: price.amount, lines };
    return { ...nothing, interval: price.interval, currency, ...later };
  }
  const cost = await callProvider(() => payments.previewChange(current.provider_subscription_id, price));
  const { amountDue: amount_due, discount, tax } = cost;
  const now = { takes_effect: when, takes_effect_at: cost.at, amount_due, discount, tax };
  return { ...nothing, interval: price.interval, currency, ...now, lines: presentLines(cost.lines) };
}

/** Returns what a first payment costs: nothing while a trial precedes it. */
function costOfPurchase({ price }: Offer, trial_days: number) {
  const { interval, currency, planName } = price;
  const amount = trial_days > 0 ? 0 : price.amount;
  const period = { period_starts_at: null, period_ends_at: null };
  const lines = [{ description: planName, quantity: 1, amount, ...period }];
  return { interval, currency, amount_due: amount, trial_days, lines };
}

function offerOf({ plan_code, interval = 'month', currency }: ChangePlan) {
  return { planCode: plan_code, interval, ...(currency && { currency }) };
}

/**
 * Changes the plan. An upgrade takes effect now and charges the difference; a downgrade takes effect when the period
 * ends; the free plan ends the subscription with its period. The current plan withdraws a pending change. Without a
 * subscription the result has the URL of a checkout. Throws 402 `BILLING.PAYMENT_FAILED` when the charge fails, and
 * changes nothing then.
 */
export async function changePlan(change: Change, wanted: ChangePlan): Promise<PlanChange> {
  const current = await readCurrent(change);
  if (current === undefined) {
    if (wanted.plan_code === freePlanCode) {
      return { takes_effect: 'unchanged', checkout_url: null, subscription: null };
    }
    const offer = await findOffer(change.services.platform, offerOf(wanted));
    return { takes_effect: 'checkout', checkout_url: await openCheckout(change, offer), subscription: null };
  }
  const requested = await requestedChange(change, current, wanted);
  if (requested.kind === 'free') return presentChange('period_end', await setCancellation(change, current, true));
  if (requested.kind === 'unchanged') return presentChange('unchanged', await withdrawPending(change, current));
  assertPaid(current);
  if (requested.when === 'now') await changeNow(change, current, requested.price);
  else await changeLater(change, current, requested.price);
  const changed = await syncChange(change, current, {
    ...auditOf(current.id, 'SUBSCRIPTION.PLAN_CHANGED'),
    changes: [
      { field: 'plan_code', old: current.plan_code, new: requested.price.planCode },
      { field: 'interval', old: current.interval, new: requested.price.interval },
      { field: 'takes_effect', old: null, new: requested.when },
    ],
  });
  return presentChange(requested.when, changed);
}

function presentChange(takes_effect: PlanChange['takes_effect'], row: SubscriptionsTable | undefined): PlanChange {
  return { takes_effect, checkout_url: null, subscription: row === undefined ? null : presentSubscription(row) };
}

/** Throws 409 `BILLING.REFUSED` while a payment is overdue. */
export function assertPaid({ status }: SubscriptionsTable): void {
  if (status === 'active' || status === 'trialing') return;
  throw new AppError('BILLING.REFUSED', 'A payment is overdue. Pay the open invoice first, then change the plan.');
}

/**
 * Changes the plan now, and withdraws a pending change and a requested cancellation. Throws 402
 * `BILLING.PAYMENT_FAILED`, and changes nothing then.
 */
export async function changeNow(
  change: Change,
  current: SubscriptionsTable,
  price: PlanPrice,
  when: 'now' | 'now_unprorated' = 'now',
): Promise<void> {
  const { payments } = change;
  const id = current.provider_subscription_id;
  await changeOnce(change, current, price, when);
  // Only after the payment: a declined payment changes nothing.
  await callProvider(async () => {
    if (current.pending_plan_code !== null) await payments.cancelPendingChange(id);
    if (current.cancel_at_period_end) await payments.setCancelAtPeriodEnd(id, false);
  });
}

async function changeLater(change: Change, current: SubscriptionsTable, price: PlanPrice): Promise<void> {
  const id = current.provider_subscription_id;
  if (current.cancel_at_period_end) await callProvider(() => change.payments.setCancelAtPeriodEnd(id, false));
  await changeOnce(change, current, price, 'period_end');
}

async function changeOnce(
  change: Change,
  current: SubscriptionsTable,
  price: PlanPrice,
  when: ChangeTime,
): Promise<void> {
  const parts = [price.planCode, price.interval, price.amount, when];
  const { provider_subscription_id: id } = current;
  await callProvider(() => callOnce(change, current, parts, (key) => change.payments.changePlan(id, price, when, key)));
}

/** Withdraws a pending change of plan and a requested cancellation. */
export async function withdrawPending(
  change: Change,
  current: SubscriptionsTable,
): Promise<SubscriptionsTable | undefined> {
  if (current.pending_plan_code === null && !current.cancel_at_period_end) return current;
  const id = current.provider_subscription_id;
  await callProvider(async () => {
    if (current.pending_plan_code !== null) await change.payments.cancelPendingChange(id);
    if (current.cancel_at_period_end) await change.payments.setCancelAtPeriodEnd(id, false);
  });
  const changes = [{ field: 'pending_plan_code', old: current.pending_plan_code, new: null }];
  return await syncChange(change, current, { ...auditOf(current.id, 'SUBSCRIPTION.CHANGE_TAKEN_BACK'), changes });
}

/** Requests or withdraws the cancellation at the end of the period. Has no effect if it is already so. */
export async function setCancellation(
  change: Change,
  current: SubscriptionsTable,
  cancels: boolean,
): Promise<SubscriptionsTable | undefined> {
  if ((current.cancel_at_period_end === 1) === cancels) return current;
  const id = current.provider_subscription_id;
  await callProvider(() => change.payments.setCancelAtPeriodEnd(id, cancels));
  const event = cancels ? 'SUBSCRIPTION.CANCELLATION_REQUESTED' : 'SUBSCRIPTION.RESUMED';
  const changes = [{ field: 'cancel_at_period_end', old: !cancels, new: cancels }];
  return await syncChange(change, current, { ...auditOf(current.id, event), changes });
}

/**
 * Requests or withdraws the cancellation of the subscription at the end of its period. Throws 409
 * `BILLING.NO_SUBSCRIPTION`.
 */
export async function cancelOrResume(change: Change, cancels: boolean): Promise<SubscriptionsTable> {
  const current = await requireCurrent(change);
  return (await setCancellation(change, current, cancels)) ?? current;
}

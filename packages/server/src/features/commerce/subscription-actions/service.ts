import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { toEpochMs, toEpochSeconds, toTimestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { callProvider, requirePayments } from '../../../payments/call-provider.ts';
import { PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { freePlanCode } from '../../accounts/tenants/tenant.ts';
import type { FieldChange } from '../../tenant-core/audit/audit.ts';
import { type Change, callOnce } from '../billing/change-service.ts';
import { assertPaid, changeNow, setCancellation, withdrawPending } from '../billing/plan-change-service.ts';
import { isEnded } from '../billing/rules.ts';
import { syncSubscription } from '../billing/sync-service.ts';
import { normalizedCode } from '../coupons/coupon.ts';
import { ownReason, requireRedeemable } from '../coupons/service.ts';
import { findOffer } from '../plans/service.ts';
import { requireSubscription } from '../subscriptions/service.ts';
import type { NamedSubscription } from '../subscriptions/subscription.ts';
import type { ApplyCoupon, CancelSubscription, ChangeSubscriptionPlan, ExtendTrial } from './schemas.ts';

// Each action reads the subscription at the provider first, because the event that reports its last change may not have
// arrived yet. It then changes the provider's subscription, and syncs it together with the audit record.

/** Payment providers accept a trial's end up to this far ahead. */
const trialDaysMax = 730;

interface Action {
  readonly change: Change;
  /** The subscription in its present state. */
  readonly current: NamedSubscription;
}

/**
 * Syncs a subscription and returns what an action needs. Throws 404 `RESOURCE.NOT_FOUND`, 409 `BILLING.NO_PROVIDER`,
 * and 409 `BILLING.REFUSED` for a subscription of another provider.
 */
async function begin(services: Services, actor: Actor, id: string): Promise<Action> {
  const payments = requirePayments(services);
  const known = await requireSubscription(services.platform, id);
  if (known.provider !== payments.name) {
    throw new AppError(
      'BILLING.REFUSED',
      `This subscription belongs to the payment provider ${known.provider}, which is not configured. Set ` +
        'PAYMENT_PROVIDER to it.',
    );
  }
  await callProvider(() => syncSubscription(services, payments, known.provider_subscription_id));
  const current = await requireSubscription(services.platform, id);
  return {
    change: { services, payments, tenant: { id: current.tenant_id, name: current.tenant_name }, actor },
    current,
  };
}

/** Syncs the subscription after the provider has changed it, and audits who requested the change. */
async function finish(
  { change: { services, payments, actor }, current }: Action,
  event: string,
  changes: readonly FieldChange[],
): Promise<NamedSubscription> {
  const entry = { event, resourceType: 'subscription', resourceId: current.id, changes };
  await callProvider(() => syncSubscription(services, payments, current.provider_subscription_id, { actor, entry }));
  return await requireSubscription(services.platform, current.id);
}

function assertRuns({ status }: NamedSubscription): void {
  if (!isEnded(status)) return;
  throw new AppError(
    'SUBSCRIPTION.TRANSITION_INVALID',
    `The subscription has ended (${status}). Ask an owner of the tenant to choose a plan again.`,
  );
}

/**
 * Ends a subscription now, or with its period. Repeating it has no effect. Ending it now pays nothing back, and gives
 * the tenant the free plan at once.
 */
export async function cancelSubscription(
  services: Services,
  actor: Actor,
  id: string,
  { at_period_end = true }: CancelSubscription,
): Promise<NamedSubscription> {
  const action = await begin(services, actor, id);
  const { change, current } = action;
  if (isEnded(current.status)) return current;
  if (at_period_end) {
    await setCancellation(change, current, true);
    return await requireSubscription(services.platform, id);
  }
  await callProvider(async () => {
    try {
      await change.payments.cancelNow(current.provider_subscription_id);
    } catch (error) {
      // Another request has ended it meanwhile.
      if (!(error instanceof PaymentProviderError && error.reason === 'not_found')) throw error;
    }
  });
  const changes = [{ field: 'status', old: current.status, new: 'canceled' }];
  return await finish(action, 'SUBSCRIPTION.CANCELLATION_REQUESTED', changes);
}

/**
 * Withdraws the cancellation of a subscription that would end with its period. Repeating it has no effect. Throws 409
 * `SUBSCRIPTION.TRANSITION_INVALID` for one that has ended.
 */
export async function resumeSubscription(services: Services, actor: Actor, id: string): Promise<NamedSubscription> {
  const { change, current } = await begin(services, actor, id);
  assertRuns(current);
  await setCancellation(change, current, false);
  return await requireSubscription(services.platform, id);
}

/**
 * Changes the plan of a subscription now. The present plan withdraws a pending change and a requested cancellation.
 * Throws 422 for a plan that is not offered, 409 `SUBSCRIPTION.TRANSITION_INVALID` for a subscription that has ended,
 * 409 `BILLING.REFUSED` while a payment is overdue, and 402 `BILLING.PAYMENT_FAILED`, which changes nothing.
 */
export async function changeSubscriptionPlan(
  services: Services,
  actor: Actor,
  id: string,
  { plan_code, interval: wantedInterval, prorate = true }: ChangeSubscriptionPlan,
): Promise<NamedSubscription> {
  if (plan_code === freePlanCode) {
    const message = 'must be a plan with a price; cancel the subscription to give the tenant the free plan';
    throw validationError({ field: 'plan_code', message });
  }
  const action = await begin(services, actor, id);
  const { change, current } = action;
  assertRuns(current);
  const interval = wantedInterval ?? current.interval;
  if (plan_code === current.plan_code && interval === current.interval) {
    await withdrawPending(change, current);
    return await requireSubscription(services.platform, id);
  }
  if (!prorate && interval !== current.interval) {
    throw validationError({ field: 'prorate', message: 'Prorate the change: another interval needs it.' });
  }
  const { price } = await findOffer(services.platform, { planCode: plan_code, interval, currency: current.currency });
  assertPaid(current);
  await changeNow(change, current, price, prorate ? 'now' : 'now_unprorated');
  return await finish(action, 'SUBSCRIPTION.PLAN_CHANGED', [
    { field: 'plan_code', old: current.plan_code, new: plan_code },
    { field: 'interval', old: current.interval, new: interval },
    { field: 'takes_effect', old: null, new: prorate ? 'now' : 'now_unprorated' },
  ]);
}

/**
 * Moves the end of a trial to a later time. The present end has no effect. Throws 409
 * `SUBSCRIPTION.TRANSITION_INVALID` for a subscription without a running trial, and 422 for an earlier end or one that
 * is more than 730 days ahead.
 */
export async function extendTrial(
  services: Services,
  actor: Actor,
  id: string,
  input: ExtendTrial,
): Promise<NamedSubscription> {
  const action = await begin(services, actor, id);
  const { change, current } = action;
  const { status, trial_ends_at: before } = current;
  if (status !== 'trialing' || before === null) {
    throw new AppError(
      'SUBSCRIPTION.TRANSITION_INVALID',
      `The subscription is ${status}. Only a running trial can be extended. Give a coupon instead.`,
    );
  }
  // Providers store whole seconds.
  const trialEndsAt = toTimestamp(toEpochSeconds(toStoredTimestamp(input.trial_ends_at)) * 1000);
  if (toEpochSeconds(trialEndsAt) === toEpochSeconds(before)) return current;
  const latest = addDays(await callProvider(() => change.payments.now()), trialDaysMax);
  if (trialEndsAt < before || toEpochMs(trialEndsAt) > toEpochMs(latest)) {
    const message = `must be later than the present end, ${before}, and at most ${trialDaysMax} days ahead`;
    throw validationError({ field: 'trial_ends_at', message });
  }
  await callProvider(() => change.payments.extendTrial(current.provider_subscription_id, trialEndsAt));
  return await finish(action, 'SUBSCRIPTION.TRIAL_EXTENDED', [
    { field: 'trial_ends_at', old: before, new: trialEndsAt },
  ]);
}

/**
 * Redeems a coupon for a subscription, in place of its present discount. The coupon of the present discount has no
 * effect. Throws 422 for an unknown coupon, 409 `COUPON.NOT_REDEEMABLE`, and 409 `SUBSCRIPTION.TRANSITION_INVALID` for
 * a subscription that has ended.
 */
export async function applyCoupon(
  services: Services,
  actor: Actor,
  id: string,
  input: ApplyCoupon,
): Promise<NamedSubscription> {
  const action = await begin(services, actor, id);
  const { change, current } = action;
  assertRuns(current);
  const code = normalizedCode(input.coupon);
  if (code === current.coupon_code) return current;
  await requireRedeemable(services, change.payments, { code, currency: current.currency });
  const { provider_subscription_id: providerId } = current;
  await callProvider(() =>
    callOnce(change, current, ['coupon', code], (key) => change.payments.applyCoupon(providerId, code, key)).catch(
      explainRefusal,
    ),
  );
  return await finish(action, 'SUBSCRIPTION.COUPON_APPLIED', [
    { field: 'coupon', old: current.coupon_code, new: code },
  ]);
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof PaymentProviderError && error.reason === 'refused')) throw error;
  const message =
    ownReason(error) ??
    'The payment provider refused the coupon: it is used up, expired, or not for this subscription. Choose another coupon.';
  throw new AppError('COUPON.NOT_REDEEMABLE', message, { cause: error });
}

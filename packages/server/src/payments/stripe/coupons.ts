import type Stripe from 'stripe';
import { type Coupon, PaymentProviderError } from '../provider.ts';
import { readStripeSubscription } from './changes.ts';
import {
  callStripe,
  find,
  idOf,
  once,
  pageSizeMax,
  type StripeContext,
  secondsOf,
  shorten,
  stripeAmount,
} from './context.ts';
import { couponCodeKey, discountOf } from './discount.ts';
import { refreshSchedule } from './schedule.ts';

const nameLengthMax = 40;

// A coupon of the service is two objects at Stripe: the coupon with the reduction, and the promotion code with the code
// that customers enter and with its limits.

function couponIdOf(code: string): string {
  return `licensing_coupon_${code}`;
}

/** Returns the promotion code of one of the service's coupons, or undefined. */
async function findPromotion({ client }: StripeContext, code: string): Promise<Stripe.PromotionCode | undefined> {
  const { data } = await callStripe(() => client.promotionCodes.list({ code, limit: pageSizeMax }));
  return data.find(({ promotion }) => idOf(promotion.coupon) === couponIdOf(code));
}

/** Implements `createCoupon` of the provider. A call that was interrupted is completed by the next one. */
export async function createStripeCoupon(context: StripeContext, coupon: Coupon): Promise<void> {
  const { client } = context;
  const { code, expiresAt, maxRedemptions } = coupon;
  if (!/^[A-Za-z0-9-]+$/.test(code)) {
    throw new PaymentProviderError(
      'refused',
      `Stripe allows letters, digits and dashes in a code; ${code} has others. Choose another code.`,
    );
  }
  const id = couponIdOf(code);
  if ((await find(() => client.coupons.retrieve(id))) === undefined) {
    await callStripe(() => client.coupons.create(toCouponParams(id, coupon), once(`coupon-${code}`)));
  }
  if ((await findPromotion(context, code)) !== undefined) return;
  const params: Stripe.PromotionCodeCreateParams = {
    code,
    promotion: { type: 'coupon', coupon: id },
    metadata: { [couponCodeKey]: code },
    ...(expiresAt !== null && { expires_at: secondsOf(expiresAt) }),
    ...(maxRedemptions !== null && { max_redemptions: maxRedemptions }),
  };
  await callStripe(() => client.promotionCodes.create(params, once(`promotion-code-${code}`)));
}

function toCouponParams(id: string, coupon: Coupon): Stripe.CouponCreateParams {
  const { code, name, percentOff, amountOff, currency, duration, durationMonths } = coupon;
  return {
    id,
    name: shorten(name, nameLengthMax),
    duration,
    metadata: { [couponCodeKey]: code },
    ...(durationMonths !== null && { duration_in_months: durationMonths }),
    ...(percentOff !== null && { percent_off: percentOff }),
    ...(amountOff !== null && currency !== null && { amount_off: stripeAmount(amountOff, currency), currency }),
  };
}

/** Implements `deactivateCoupon` of the provider. */
export async function deactivateStripeCoupon(context: StripeContext, code: string): Promise<void> {
  const promotion = await findPromotion(context, code);
  if (promotion?.active !== true) return;
  await callStripe(() => context.client.promotionCodes.update(promotion.id, { active: false }, once()));
}

/** Implements `countRedemptions` of the provider. */
export async function countStripeRedemptions(context: StripeContext, code: string): Promise<number | undefined> {
  return (await findPromotion(context, code))?.times_redeemed;
}

/**
 * Implements `applyCoupon` of the provider. The subscription is read first, because its own redemption may have used the
 * coupon up when the call is repeated.
 */
export async function applyStripeCoupon(context: StripeContext, id: string, code: string, key: string): Promise<void> {
  const subscription = await readStripeSubscription(context, id);
  const promotion = await findPromotion(context, code);
  const nowMs = context.clock.nowMs();
  const isExpired = typeof promotion?.expires_at === 'number' && promotion.expires_at * 1000 <= nowMs;
  if (promotion === undefined || !promotion.active || isExpired) {
    if (discountOf(subscription, nowMs)?.couponCode === code) return;
    throw new PaymentProviderError(
      'refused',
      `The coupon ${code} is unknown, inactive, expired or used up. Choose another coupon.`,
    );
  }
  const coupon = await callStripe(() => context.client.coupons.retrieve(couponIdOf(code)));
  if (coupon.currency !== null && coupon.currency !== subscription.currency) {
    throw new PaymentProviderError(
      'refused',
      `The coupon ${code} is in ${coupon.currency.toUpperCase()}, the subscription in ${subscription.currency.toUpperCase()}. Choose another coupon.`,
    );
  }
  const params = { discounts: [{ promotion_code: promotion.id }] };
  await callStripe(() => context.client.subscriptions.update(id, params, once(`apply-${id}-${key}`)));
  await refreshSchedule(context, await readStripeSubscription(context, id));
}

import type Stripe from 'stripe';
import type { CouponDuration } from '../../db/tables/platform/billing.ts';
import type { Discount } from '../provider.ts';
import { optionalMoment } from './context.ts';

/** The metadata key of a coupon that holds its code. */
export const couponCodeKey = 'licensing_coupon_code';

/** The objects that are expanded in the discounts of a subscription. */
export const discountExpansion = ['discounts.promotion_code', 'discounts.source.coupon'];

const durations: readonly string[] = ['once', 'repeating', 'forever'] satisfies CouponDuration[];

function toDiscount(discount: Stripe.Discount): Discount | null {
  const { source, promotion_code: promotion, end } = discount;
  const { coupon } = source;
  if (coupon === null || typeof coupon === 'string' || !durations.includes(coupon.duration)) return null;
  const code = promotion === null || typeof promotion === 'string' ? undefined : promotion.code;
  return {
    couponCode: code ?? coupon.metadata?.[couponCodeKey] ?? coupon.name ?? coupon.id,
    percentOff: coupon.percent_off,
    amountOff: coupon.amount_off,
    duration: coupon.duration as CouponDuration,
    endsAt: optionalMoment(end),
  };
}

/** Returns the first discount of a subscription that has not ended; null when there is none. Expand `discountExpansion`. */
export function discountOf({ discounts }: Pick<Stripe.Subscription, 'discounts'>, nowMs: number): Discount | null {
  for (const discount of discounts) {
    if (typeof discount === 'string' || (discount.end !== null && discount.end * 1000 <= nowMs)) continue;
    const converted = toDiscount(discount);
    if (converted !== null) return converted;
  }
  return null;
}

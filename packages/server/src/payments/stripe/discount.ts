import type Stripe from 'stripe';
import type { CouponDuration } from '../../db/tables/platform/billing.ts';
import type { Discount } from '../provider.ts';
import { optionalMoment } from './context.ts';

/** The metadata key of a coupon that holds its code. */
export const couponCodeKey = 'licensing_coupon_code';

/** The objects that are expanded in the discounts of a subscription or of an invoice. */
export const discountExpansion = ['discounts.promotion_code', 'discounts.source.coupon'];

const durations: readonly string[] = ['once', 'repeating', 'forever'] satisfies CouponDuration[];

type AnyDiscount = Stripe.Discount | Stripe.DeletedDiscount;

/** Returns the code that was entered; for a coupon that was applied at Stripe without a code, its name there. */
function codeOf({ source: { coupon }, promotion_code: promotion }: AnyDiscount): string | null {
  if (promotion !== null && typeof promotion !== 'string') return promotion.code;
  if (coupon === null || typeof coupon === 'string') return null;
  return coupon.metadata?.[couponCodeKey] ?? coupon.name ?? coupon.id;
}

/** Returns the code of the coupon of an invoice; null when it has no discount. Expand `discountExpansion`. */
export function couponCodeOf({ discounts }: Pick<Stripe.Invoice, 'discounts'>): string | null {
  const [discount] = discounts;
  return discount === undefined || typeof discount === 'string' ? null : codeOf(discount);
}

function toDiscount(discount: Stripe.Discount): Discount | null {
  const { source, end } = discount;
  const { coupon } = source;
  if (coupon === null || typeof coupon === 'string' || !durations.includes(coupon.duration)) return null;
  return {
    couponCode: codeOf(discount) ?? coupon.id,
    percentOff: coupon.percent_off,
    amountOff: coupon.amount_off,
    duration: coupon.duration as CouponDuration,
    endsAt: optionalMoment(end),
  };
}

/** Returns the first discount of a subscription that has not ended, or null. Expand `discountExpansion`. */
export function discountOf({ discounts }: Pick<Stripe.Subscription, 'discounts'>, nowMs: number): Discount | null {
  for (const discount of discounts) {
    if (typeof discount === 'string' || (discount.end !== null && discount.end * 1000 <= nowMs)) continue;
    const converted = toDiscount(discount);
    if (converted !== null) return converted;
  }
  return null;
}

import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Discount } from '../../../payments/provider.ts';

type DiscountColumns = Pick<
  SubscriptionsTable,
  'coupon_code' | 'discount_basis_points' | 'discount_amount' | 'discount_duration' | 'discount_ends_at'
>;

const none: DiscountColumns = {
  coupon_code: null,
  discount_basis_points: null,
  discount_amount: null,
  discount_duration: null,
  discount_ends_at: null,
};

/** Returns the columns that store a subscription's discount. One that has ended by `now` counts as none. */
export function discountColumns(discount: Discount | null, now: Timestamp): DiscountColumns {
  if (discount === null) return none;
  const { couponCode, percentOff, amountOff, duration, endsAt } = discount;
  if (endsAt !== null && endsAt <= now) return none;
  return {
    coupon_code: couponCode,
    discount_basis_points: percentOff === null ? null : Math.round(percentOff * 100),
    discount_amount: amountOff,
    discount_duration: duration,
    discount_ends_at: endsAt,
  };
}

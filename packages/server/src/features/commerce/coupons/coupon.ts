import type { CouponsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { ErrorDetail } from '../../../lib/error.ts';
import type * as provider from '../../../payments/provider.ts';
import type { Coupon, CreateCoupon } from './schemas.ts';

/** Returns the stored form of a code: upper case. */
export function normalizedCode(code: string): string {
  return code.toUpperCase();
}

/** A coupon with its expiry in the stored form. */
export interface CouponInput extends Omit<CreateCoupon, 'expires_at'> {
  readonly expires_at: Timestamp | null;
}

/** Returns the invalid combinations of fields of a new coupon. `now` is a time of the provider's clock. */
export function problemsOf(input: CouponInput, now: Timestamp): ErrorDetail[] {
  const { percent_off = null, amount_off = null, currency = null, duration, duration_months = null } = input;
  const { expires_at } = input;
  const problems: (ErrorDetail | false)[] = [
    percent_off === null &&
      amount_off === null && { field: 'percent_off', message: 'Enter a percentage or an amount.' },
    percent_off !== null &&
      amount_off !== null && { field: 'amount_off', message: 'Enter a percentage or an amount, not both.' },
    amount_off !== null && currency === null && { field: 'currency', message: 'Choose the currency of the amount.' },
    amount_off === null &&
      currency !== null && { field: 'currency', message: 'Remove the currency: a percentage has none.' },
    duration === 'repeating' &&
      duration_months === null && {
        field: 'duration_months',
        message: 'Enter for how many months the coupon applies.',
      },
    duration !== 'repeating' &&
      duration_months !== null && {
        field: 'duration_months',
        message: 'Remove the months: only a repeating coupon has them.',
      },
    expires_at !== null && expires_at <= now && { field: 'expires_at', message: 'Choose a time in the future.' },
  ];
  return problems.filter((problem) => problem !== false);
}

/** Returns the coupon as the payment provider takes it. */
export function providerCoupon(row: CouponsTable): provider.Coupon {
  const { code, name, percent_off_basis_points: basisPoints, currency, duration } = row;
  return {
    code,
    name,
    percentOff: basisPoints === null ? null : basisPoints / 100,
    amountOff: row.amount_off,
    currency,
    duration,
    durationMonths: row.duration_months,
    expiresAt: row.expires_at,
    maxRedemptions: row.max_redemptions,
  };
}

/** Returns whether the provider has the coupon in its present state. */
export function isAtProvider({ synced_at, archived_at }: CouponsTable): boolean {
  return synced_at !== null && (archived_at === null || synced_at > archived_at);
}

/** Returns why a subscription in a currency cannot redeem a coupon; undefined when it can. */
export function obstacleOf(coupon: CouponsTable, currency: string, now: Timestamp): string | undefined {
  const { archived_at, expires_at, max_redemptions, redemptions } = coupon;
  if (archived_at !== null) return 'The coupon is archived. Choose another coupon.';
  if (expires_at !== null && expires_at <= now) return 'The coupon has expired. Choose another coupon.';
  if (coupon.currency !== null && coupon.currency !== currency) {
    return `The coupon takes off an amount in ${coupon.currency}, and the subscription is in ${currency}. Choose another coupon.`;
  }
  const isUsedUp = max_redemptions !== null && redemptions >= max_redemptions;
  return isUsedUp ? 'The coupon has been redeemed as often as it allows. Choose another coupon.' : undefined;
}

/** Returns the view of a coupon. */
export function presentCoupon(row: CouponsTable): Coupon {
  const { id, code, name, percent_off_basis_points: basisPoints, amount_off, currency, duration } = row;
  const { duration_months, expires_at, max_redemptions, redemptions, synced_at, created_at, updated_at } = row;
  return {
    id,
    code,
    name,
    percent_off: basisPoints === null ? null : basisPoints / 100,
    amount_off,
    currency,
    duration,
    duration_months,
    expires_at,
    max_redemptions,
    redemptions,
    archived: row.archived_at !== null,
    synced_at,
    created_at,
    updated_at,
  };
}

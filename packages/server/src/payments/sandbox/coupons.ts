import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { addMonths } from '../../lib/duration.ts';
import { type Coupon, type Discount, PaymentProviderError } from '../provider.ts';

/** The refusal of a coupon, so that a page can name the field. */
export class CouponRefusedError extends PaymentProviderError {}

const refuse = (message: string) => new CouponRefusedError('refused', message);

/** Returns the discount that a coupon gives from now on. Throws `CouponRefusedError` like `redeemCoupon`. */
export async function readDiscount(
  db: Kysely<PlatformTables>,
  code: string,
  currency: string,
  at: Timestamp,
): Promise<Discount> {
  const row = await db.selectFrom('sandbox_coupons').selectAll().where('code', '=', code).executeTakeFirst();
  if (row === undefined || row.is_active === 0) throw refuse(`There is no coupon ${code}. Check the code.`);
  if (row.expires_at !== null && row.expires_at <= at) throw refuse('The coupon has expired.');
  const { redemptions, max_redemptions } = row;
  if (max_redemptions !== null && redemptions >= max_redemptions) throw refuse('The coupon is used up.');
  const coupon: Coupon = JSON.parse(row.coupon_json);
  if (coupon.currency !== null && coupon.currency !== currency) {
    throw refuse(`The coupon is for prices in ${coupon.currency.toUpperCase()} only.`);
  }
  const { percentOff, amountOff, duration, durationMonths } = coupon;
  const endsAt = durationMonths === null ? null : addMonths(at, durationMonths, 'UTC');
  return { couponCode: code, percentOff, amountOff, duration, endsAt };
}

/**
 * Redeems a coupon, and returns its discount. Throws `CouponRefusedError` for a coupon that is unknown, inactive,
 * expired, used up, or of another currency. A rollback of the transaction takes the redemption back.
 */
export async function redeemCoupon(
  tx: PlatformTransaction,
  code: string,
  currency: string,
  at: Timestamp,
): Promise<Discount> {
  // Locked first, so that the number of redemptions cannot change between the check and the increment.
  await forUpdate(tx, tx.selectFrom('sandbox_coupons').select('code').where('code', '=', code)).execute();
  const discount = await readDiscount(tx, code, currency, at);
  const redeem = tx.updateTable('sandbox_coupons').set((eb) => ({ redemptions: eb('redemptions', '+', 1) }));
  await redeem.where('code', '=', code).execute();
  return discount;
}

import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { addMonths } from '../../lib/duration.ts';
import { type Coupon, type Discount, PaymentProviderError } from '../provider.ts';
import { changeAccount } from './accounts.ts';
import { assertPrice } from './amounts.ts';
import type { SandboxContext } from './context.ts';
import { recordEvent, subscriptionOf } from './state.ts';
import { assertNotOver } from './subscription.ts';

/** The refusal of a coupon, so that a page can name the field. */
export class CouponRefusedError extends PaymentProviderError {
  constructor(message: string) {
    super('refused', message);
    this.name = 'CouponRefusedError';
  }
}

const codePattern = /^[A-Z0-9][A-Z0-9_-]{0,63}$/;

/** Implements `createCoupon` of the provider. */
export async function createSandboxCoupon({ platform, clock }: SandboxContext, coupon: Coupon): Promise<void> {
  assertCoupon(coupon);
  const row = {
    code: coupon.code,
    coupon_json: JSON.stringify(coupon),
    is_active: 1,
    redemptions: 0,
    max_redemptions: coupon.maxRedemptions,
    expires_at: coupon.expiresAt,
    created_at: clock.now(),
  } as const;
  const insert = platform.query.insertInto('sandbox_coupons').values(row);
  await insert.onConflict((conflict) => conflict.column('code').doNothing()).execute();
}

/** Throws `refused` for a coupon that providers do not accept. */
function assertCoupon(coupon: Coupon): void {
  const { code, percentOff, amountOff, currency, duration, durationMonths } = coupon;
  const refuse = (message: string) => new PaymentProviderError('refused', message);
  if (!codePattern.test(code)) throw refuse('The code of a coupon has upper-case letters, digits, - and _.');
  if ((percentOff === null) === (amountOff === null) || (amountOff === null) !== (currency === null)) {
    throw refuse('A coupon has either a percentage, or an amount with its currency.');
  }
  if (percentOff !== null && !(percentOff > 0 && percentOff <= 100 && hasTwoDecimalPlaces(percentOff))) {
    throw refuse('The percentage of a coupon is above 0 and at most 100, with at most two decimal places.');
  }
  if (amountOff !== null) assertPrice({ amount: amountOff, currency: currency ?? '' });
  if (amountOff === 0) throw refuse('The amount of a coupon is above 0.');
  if ((duration === 'repeating') !== (durationMonths !== null)) {
    throw refuse('A coupon has a number of months if and only if it is repeating.');
  }
  if (durationMonths !== null && !(Number.isSafeInteger(durationMonths) && durationMonths > 0)) {
    throw refuse('The number of months of a coupon is an integer above 0.');
  }
}

function hasTwoDecimalPlaces(percent: number): boolean {
  return Math.round(percent * 100) / 100 === percent;
}

/** Implements `deactivateCoupon` of the provider. Has no effect for an unknown code. */
export async function deactivateSandboxCoupon({ platform }: SandboxContext, code: string): Promise<void> {
  await platform.query.updateTable('sandbox_coupons').set({ is_active: 0 }).where('code', '=', code).execute();
}

/** Implements `countRedemptions` of the provider. */
export async function countSandboxRedemptions({ platform }: SandboxContext, code: string): Promise<number | undefined> {
  const query = platform.query.selectFrom('sandbox_coupons').select('redemptions').where('code', '=', code);
  const row = await query.executeTakeFirst();
  return row?.redemptions;
}

/** Returns the discount that a coupon gives from now on. Throws `CouponRefusedError` like `redeemCoupon`. */
export async function readDiscount(
  db: Kysely<PlatformTables>,
  code: string,
  currency: string,
  at: Timestamp,
): Promise<Discount> {
  const row = await db.selectFrom('sandbox_coupons').selectAll().where('code', '=', code).executeTakeFirst();
  if (row === undefined || row.is_active === 0)
    throw new CouponRefusedError(`There is no coupon ${code}. Check the code.`);
  if (row.expires_at !== null && row.expires_at <= at) throw new CouponRefusedError('The coupon has expired.');
  if (row.max_redemptions !== null && row.redemptions >= row.max_redemptions) {
    throw new CouponRefusedError('The coupon is used up.');
  }
  const coupon: Coupon = JSON.parse(row.coupon_json);
  if (coupon.currency !== null && coupon.currency !== currency) {
    throw new CouponRefusedError(`The coupon is for prices in ${coupon.currency.toUpperCase()} only.`);
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
  await tx
    .updateTable('sandbox_coupons')
    .set((eb) => ({ redemptions: eb('redemptions', '+', 1) }))
    .where('code', '=', code)
    .execute();
  return discount;
}

/** Implements `applyCoupon` of the provider. */
export async function applySandboxCoupon(
  context: SandboxContext,
  subscriptionId: string,
  code: string,
  idempotencyKey: string,
): Promise<void> {
  await changeAccount(
    context,
    { subscription_id: subscriptionId },
    async (work, at, tx) => {
      const subscription = subscriptionOf(work);
      assertNotOver(subscription);
      subscription.discount = await redeemCoupon(tx, code, subscription.price.currency, at);
      recordEvent(work, 'customer.subscription.updated', subscriptionId, at);
    },
    { idempotencyKey: `coupon ${subscriptionId} ${idempotencyKey}` },
  );
}

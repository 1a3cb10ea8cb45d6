import type { Kysely } from 'kysely';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import type { Discount } from '../provider.ts';
import type { TaxLocation } from '../tax/taxes.ts';
import { type Amounts, amountsOf, chargeOfPeriod, periodEnd } from './amounts.ts';
import type { SandboxContext } from './context.ts';
import { readDiscount } from './coupons.ts';
import type { CheckoutTerms } from './state.ts';

/** What a purchase costs. */
export interface CheckoutPreview {
  readonly discount: Discount | null;
  /** When the free trial ends; null without one. */
  readonly trialEndsAt: Timestamp | null;
  /** The first invoice: today's, or that at the end of the trial. */
  readonly first: Amounts;
  /** The amount due today: 0 in a trial. */
  readonly dueToday: number;
  /** The charge after the first one, without a change of the address. */
  readonly next: { readonly at: Timestamp; readonly total: number };
}

/** What a customer has entered so far. */
export interface PreviewInput {
  /** In upper case, or null. */
  readonly coupon: string | null;
  readonly location: TaxLocation | null;
}

/** Returns what a purchase costs at a time. Throws `CouponRefusedError` like `readDiscount`. */
export async function previewCheckout(
  db: Kysely<PlatformTables>,
  { taxRules }: Pick<SandboxContext, 'taxRules'>,
  { price, trialDays }: Pick<CheckoutTerms, 'price' | 'trialDays'>,
  { coupon, location }: PreviewInput,
  at: Timestamp,
): Promise<CheckoutPreview> {
  const discount = coupon === null ? null : await readDiscount(db, coupon, price.currency, at);
  const trialEndsAt = trialDays > 0 ? addDays(at, trialDays) : null;
  const startsAt = trialEndsAt ?? at;
  const amountsAt = (begin: Timestamp, applied: Discount | null) => {
    const end = periodEnd(startsAt, price.interval, begin);
    return { end, amounts: amountsOf(chargeOfPeriod({ discount: applied }, price, begin, end), location, taxRules) };
  };
  const first = amountsAt(startsAt, discount);
  const next = amountsAt(first.end, discount?.duration === 'once' ? null : discount);
  return {
    discount,
    trialEndsAt,
    first: first.amounts,
    dueToday: trialEndsAt === null ? first.amounts.total : 0,
    next: { at: first.end, total: next.amounts.total },
  };
}

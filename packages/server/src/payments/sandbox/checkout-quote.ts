import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { type Amounts, amountsOf } from './amounts.ts';
import { type CheckoutInput, findOpenCheckout } from './checkouts.ts';
import { readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { readDiscount } from './coupons.ts';
import { periodEnd } from './periods.ts';
import { chargeOfPeriod } from './proration.ts';
import { locationOf } from './state.ts';

/** What the first paid period of a checkout costs. */
export interface CheckoutQuote extends Amounts {
  readonly currency: string;
  /** What is to be paid now, in minor units: 0 in a trial. */
  readonly dueNow: number;
  /** Null without a trial. */
  readonly trialEndsAt: Timestamp | null;
}

/**
 * Returns the cost of a checkout with a coupon and billing details; undefined for an unknown id. Throws
 * `CouponRefusedError`.
 */
export async function quoteCheckout(
  context: SandboxContext,
  id: string,
  { coupon, details }: Omit<CheckoutInput, 'card'>,
): Promise<CheckoutQuote | undefined> {
  const checkout = await findOpenCheckout(context, id);
  if (checkout === undefined) return undefined;
  const { price, trialDays } = checkout.terms;
  const { query } = context.platform;
  const at = await readNow(query, context.clock);
  const discount = coupon === null ? null : await readDiscount(query, coupon, price.currency, at);
  const trialEndsAt = trialDays === 0 ? null : addDays(at, trialDays);
  const startsAt = trialEndsAt ?? at;
  const charge = chargeOfPeriod({ discount }, price, startsAt, periodEnd(startsAt, price.interval, startsAt));
  const amounts = amountsOf(charge, { location: locationOf(details), rules: context.taxRules });
  return { ...amounts, currency: price.currency, dueNow: trialEndsAt === null ? amounts.total : 0, trialEndsAt };
}

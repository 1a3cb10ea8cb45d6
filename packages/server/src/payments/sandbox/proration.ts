import type { BillingInterval } from '../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs } from '../../lib/clock.ts';
import { addMonths } from '../../lib/duration.ts';
import type { InvoiceLine, PlanPrice, TaxLine } from '../provider.ts';
import { type Charge, discountAt, discountOf, ratesOf, sumOf } from './amounts.ts';
import type { SandboxSubscription } from './state.ts';

const secondMs = 1000;

/**
 * Returns the share of an amount for the rest of a period, by whole seconds, rounded to the nearest minor unit, halves
 * up.
 */
function partOf(amount: number, at: Timestamp, startsAt: Timestamp, endsAt: Timestamp): number {
  const [startMs, endMs] = [toEpochMs(startsAt), toEpochMs(endsAt)];
  const totalSeconds = Math.floor((endMs - startMs) / secondMs);
  const restSeconds = Math.min(totalSeconds, Math.max(0, Math.floor((endMs - toEpochMs(at)) / secondMs)));
  // Amounts have at most 8 digits and periods at most 32 million seconds: the product is exact.
  return totalSeconds === 0 ? 0 : Math.round((amount * restSeconds) / totalSeconds);
}

/**
 * Returns the period after a plan change: the interval of the current period keeps it, another interval starts a new
 * one.
 */
function periodAfterChange(subscription: SandboxSubscription, price: PlanPrice, at: Timestamp) {
  const { currentPeriodStartsAt, currentPeriodEndsAt } = subscription;
  const isSame = price.interval === subscription.periodInterval;
  if (isSame) return { isSame, startsAt: currentPeriodStartsAt, endsAt: currentPeriodEndsAt };
  return { isSame, startsAt: at, endsAt: periodEnd(at, price.interval, at) };
}

/** The cost of a plan change. */
export interface ChangeCharge extends Charge {
  /** The charge for the rest of the period, after the discount and without tax. */
  readonly net: number;
}

/**
 * Returns the cost of a plan change at `at`: a credit for the unused time, and the charge of the new price with its
 * discount. The credit is a share of the amount that was charged after the discount and not refunded. A discount above
 * the sum of the lines is part of the charge's line, because an invoice that is a credit has no discount.
 */
export function chargeOfChange(subscription: SandboxSubscription, price: PlanPrice, at: Timestamp): ChangeCharge {
  const { currentPeriodEndsAt, periodCharge, price: old } = subscription;
  const creditMax = Math.max(0, subscription.periodNet);
  const unused = Math.min(creditMax, partOf(periodCharge.amount, at, periodCharge.startsAt, currentPeriodEndsAt));
  const { startsAt, endsAt, isSame } = periodAfterChange(subscription, price, at);
  const charge = partOf(price.amount, at, startsAt, endsAt);
  const share = (amount: number) => partOf(amount, at, startsAt, endsAt);
  const discount = discountOf(discountAt(subscription, at), charge, share);
  const isDiscountInLine = discount > 0 && discount > charge - unused;
  const name = isSame ? `Remaining time on ${price.planName}` : price.planName;
  return {
    lines: [
      // Avoids minus zero, which `toEqual` and `Object.is` distinguish from zero.
      lineOf(`Unused time on ${old.planName}`, unused === 0 ? 0 : -unused, at, currentPeriodEndsAt),
      isDiscountInLine
        ? lineOf(`${name}, after the discount`, charge - discount, at, endsAt)
        : lineOf(name, charge, at, endsAt),
    ],
    discount: isDiscountInLine ? 0 : discount,
    isDiscounted: discount > 0,
    ...(unused > 0 && { credit: { base: -unused, rates: periodCharge.rates } }),
    net: charge - discount,
  };
}

/** Returns the cost of the whole period that begins at `startsAt`. */
export function chargeOfPeriod(
  subscription: Pick<SandboxSubscription, 'discount'>,
  price: PlanPrice,
  startsAt: Timestamp,
  endsAt: Timestamp,
): Charge {
  const lines = [lineOf(price.planName, price.amount, startsAt, endsAt)];
  const discount = discountOf(discountAt(subscription, startsAt), price.amount);
  return { lines, discount, isDiscounted: discount > 0 };
}

function lineOf(description: string, amount: number, periodStartsAt: Timestamp, periodEndsAt: Timestamp): InvoiceLine {
  return { description, quantity: 1, amount, periodStartsAt, periodEndsAt };
}

/** Applies a new price, and its charge, to a subscription. Another interval than the period's starts a new period. */
export function applyPrice(
  subscription: SandboxSubscription,
  price: PlanPrice,
  { net, lines, discount, taxes }: ChangeCharge & { readonly taxes: readonly TaxLine[] },
  at: Timestamp,
): void {
  const { isSame, startsAt, endsAt } = periodAfterChange(subscription, price, at);
  subscription.price = price;
  subscription.pendingPrice = null;
  // The last tax belongs to the new price; the one before it, if present, to the credit.
  subscription.periodCharge = { amount: net, startsAt: at, rates: ratesOf(taxes.slice(-1)) };
  subscription.periodNet = isSame ? subscription.periodNet + sumOf(lines) - discount : net;
  if (isSame) return;
  subscription.anchorAt = at;
  subscription.periodInterval = price.interval;
  subscription.currentPeriodStartsAt = startsAt;
  subscription.currentPeriodEndsAt = endsAt;
}

/** Returns the period that follows the current one, and its price. */
export function nextPeriod(subscription: SandboxSubscription) {
  const { currentPeriodEndsAt: startsAt, periodInterval } = subscription;
  const price = subscription.pendingPrice ?? subscription.price;
  const anchorAt = price.interval === periodInterval ? subscription.anchorAt : startsAt;
  return { price, anchorAt, startsAt, endsAt: periodEnd(anchorAt, price.interval, startsAt) };
}

const monthsOf: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 };

/**
 * Returns the end of the period that begins at `startsAt`. It keeps the day of the anchor, so that a short month does not
 * shift the later ones: January 31 → February 28 → March 31.
 */
export function periodEnd(anchorAt: Timestamp, interval: BillingInterval, startsAt: Timestamp): Timestamp {
  return addMonths(startsAt, monthsOf[interval], 'UTC', anchorAt);
}

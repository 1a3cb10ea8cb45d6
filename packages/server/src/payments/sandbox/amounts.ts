import type { BillingInterval } from '../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs } from '../../lib/clock.ts';
import { addMonths } from '../../lib/duration.ts';
import { type Discount, type InvoiceLine, PaymentProviderError, type PlanPrice, type TaxLine } from '../provider.ts';
import { percentageOf, type TaxLocation, type TaxRules, taxesOf } from '../tax/taxes.ts';
import type { SandboxSubscription } from './state.ts';

/** The amounts of an invoice in minor units: `subtotal - discount + tax = total`. */
export interface Amounts {
  readonly subtotal: number;
  readonly discount: number;
  readonly taxes: readonly TaxLine[];
  readonly tax: number;
  readonly total: number;
}

/** Lines of an invoice, and what the discount takes off them. */
export interface Charge {
  readonly lines: readonly InvoiceLine[];
  readonly discount: number;
  /** Whether the subscription's discount lowered it, also within a line. */
  readonly isDiscounted: boolean;
}

/** Returns the sum of amounts in minor units. */
export function sumOf(lines: readonly { readonly amount: number }[]): number {
  return lines.reduce((sum, line) => sum + line.amount, 0);
}

/** Returns the amounts of an invoice. A negative net amount, a credit, has negative tax. */
export function amountsOf(
  { lines, discount }: Pick<Charge, 'lines' | 'discount'>,
  location: TaxLocation | null,
  rules: TaxRules,
): Amounts {
  const subtotal = sumOf(lines);
  const taxes = taxesOf(subtotal - discount, location, rules);
  const tax = sumOf(taxes);
  return { subtotal, discount, taxes, tax, total: subtotal - discount + tax };
}

/** Returns the amount due after credit. It is 0 for a negative total, which increases the credit instead. */
export function amountDueOf(total: number, balance: number): number {
  return Math.max(0, total - Math.max(0, balance));
}

/**
 * Returns the part of a tax that belongs to a refund, so that the parts of several refunds add up to that of their sum.
 * `before`: the amount refunded earlier; `total`: the invoice's total, with the tax.
 */
export function taxOfRefund({ tax, total }: Pick<Amounts, 'tax' | 'total'>, before: number, amount: number): number {
  return taxUpTo(tax, total, before + amount) - taxUpTo(tax, total, before);
}

/** Rounds half up. The product can exceed the safe integers. A refund is of a positive total, whose tax is not negative. */
function taxUpTo(tax: number, total: number, amount: number): number {
  if (total <= 0) return 0;
  return Number((2n * BigInt(tax) * BigInt(amount) + BigInt(total)) / (2n * BigInt(total)));
}

/** Stripe's limit in minor units. It keeps the product of an amount and the days of a period an exact integer. */
const amountMax = 99_999_999;

/** Throws `refused` for an amount that providers do not accept. */
export function assertPrice({ amount, currency }: Pick<PlanPrice, 'amount' | 'currency'>): void {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > amountMax) {
    throw new PaymentProviderError('refused', `An amount must be an integer from 0 to ${amountMax}, in minor units.`);
  }
  if (!/^[a-z]{3}$/.test(currency)) {
    throw new PaymentProviderError('refused', 'A currency must be an ISO 4217 code in lower case, such as eur.');
  }
}

const dayMs = 86_400_000;
const daysFrom = (startsAt: Timestamp, endsAt: Timestamp) =>
  Math.max(0, Math.ceil((toEpochMs(endsAt) - toEpochMs(startsAt)) / dayMs));

/** Returns the share of an amount for the rest of a period, by whole days. A day that has begun counts as left. */
function partOf(amount: number, at: Timestamp, startsAt: Timestamp, endsAt: Timestamp): number {
  const days = daysFrom(startsAt, endsAt);
  return days === 0 ? 0 : Math.round((amount * Math.min(days, daysFrom(at, endsAt))) / days);
}

/**
 * Returns what a discount takes off a charge, in minor units: at most the whole charge. `share` returns the part of an
 * amount that falls on the charged time.
 */
function discountOf(discount: Discount | null, charge: number, share: (amount: number) => number): number {
  if (discount === null || charge <= 0) return 0;
  const { percentOff, amountOff, duration } = discount;
  if (percentOff !== null) return percentageOf(charge, percentOff);
  // An amount that applies once is for one invoice. A lasting one is for each period, so a part of a period has a part.
  return Math.min(charge, duration === 'once' ? (amountOff ?? 0) : share(amountOff ?? 0));
}

/** Returns the discount of a subscription at a time; null when it has ended. */
function discountAt({ discount }: Pick<SandboxSubscription, 'discount'>, at: Timestamp): Discount | null {
  return discount?.endsAt != null && discount.endsAt <= at ? null : discount;
}

function lineOf(description: string, amount: number, periodStartsAt: Timestamp, periodEndsAt: Timestamp): InvoiceLine {
  return { description, quantity: 1, amount, periodStartsAt, periodEndsAt };
}

/** The cost of a plan change, and the period after it. */
export interface ChangeCharge extends Charge {
  /** The charge for the rest of the period, after the discount and without tax. */
  readonly net: number;
  /** Whether the period goes on: another interval starts a new one. */
  readonly isSamePeriod: boolean;
  readonly startsAt: Timestamp;
  readonly endsAt: Timestamp;
}

/**
 * Returns the cost of a plan change at `at`: a credit for the unused days, and the charge of the new price with its
 * discount. A discount above the sum of the lines is part of the charge's line, because an invoice that is a credit has
 * no discount.
 */
export function chargeOfChange(subscription: SandboxSubscription, price: PlanPrice, at: Timestamp): ChangeCharge {
  const { currentPeriodEndsAt, periodCharge, price: old } = subscription;
  const unused = partOf(periodCharge.amount, at, periodCharge.startsAt, currentPeriodEndsAt);
  const isSamePeriod = price.interval === subscription.periodInterval;
  const startsAt = isSamePeriod ? subscription.currentPeriodStartsAt : at;
  const endsAt = isSamePeriod ? currentPeriodEndsAt : periodEnd(at, price.interval, at);
  const share = (amount: number) => partOf(amount, at, startsAt, endsAt);
  const charge = share(price.amount);
  const off = discountOf(discountAt(subscription, at), charge, share);
  const isInLine = off > charge - unused;
  const name = isSamePeriod ? `Remaining time on ${price.planName}` : price.planName;
  const lines = [
    // `-unused` would be minus zero for zero, which `toEqual` and `Object.is` distinguish from zero.
    lineOf(`Unused time on ${old.planName}`, 0 - unused, at, currentPeriodEndsAt),
    lineOf(isInLine && off > 0 ? `${name}, after the discount` : name, isInLine ? charge - off : charge, at, endsAt),
  ];
  const discount = isInLine ? 0 : off;
  return { lines, discount, isDiscounted: off > 0, net: charge - off, isSamePeriod, startsAt, endsAt };
}

/** Returns the cost of the whole period that begins at `startsAt`. */
export function chargeOfPeriod(
  subscription: Pick<SandboxSubscription, 'discount'>,
  price: PlanPrice,
  startsAt: Timestamp,
  endsAt: Timestamp,
): Charge {
  const lines = [lineOf(price.planName, price.amount, startsAt, endsAt)];
  const discount = discountOf(discountAt(subscription, startsAt), price.amount, (amount) => amount);
  return { lines, discount, isDiscounted: discount > 0 };
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

import type { BillingInterval } from '../../db/tables/platform/billing.ts';
import { type Timestamp, toEpochMs } from '../../lib/clock.ts';
import { addMonths } from '../../lib/duration.ts';
import type { InvoiceLine, PlanPrice } from '../provider.ts';
import { percentageOf, taxesOf } from '../tax/taxes.ts';
import { refusal } from './context.ts';
import type { SandboxInvoice, SandboxSubscription, Work } from './state.ts';

type Amounts = Pick<SandboxInvoice, 'subtotal' | 'discount' | 'taxes' | 'tax' | 'total'>;

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

/**
 * Returns the amounts of an invoice, taxed by the customer's present location. A negative net amount, a credit, has
 * negative tax.
 */
export function amountsOf(
  { account, taxRules }: Work,
  { lines, discount }: Pick<Charge, 'lines' | 'discount'>,
): Amounts {
  const { details } = account;
  const subtotal = sumOf(lines);
  const location = details && { country: details.address?.country ?? null, taxId: details.taxId };
  const taxes = taxesOf(subtotal - discount, location, taxRules);
  const tax = sumOf(taxes);
  return { subtotal, discount, taxes, tax, total: subtotal - discount + tax };
}

/**
 * Returns the part of a tax that belongs to a refund, so that the parts of several refunds add up to that of their sum.
 * `before`: the amount refunded earlier; `total`: the invoice's total, with the tax.
 */
export function taxOfRefund({ tax, total }: Pick<Amounts, 'tax' | 'total'>, before: number, amount: number): number {
  const upTo = (refunded: number) => Math.round((tax * refunded) / total);
  return upTo(before + amount) - upTo(before);
}

/** Stripe's limit in minor units. It keeps the product of an amount and the days of a period an exact integer. */
const amountMax = 99_999_999;

/** Throws `refused` for an amount that providers do not accept. */
export function assertPrice({ amount, currency }: Pick<PlanPrice, 'amount' | 'currency'>): void {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > amountMax) {
    throw refusal(`An amount must be an integer from 0 to ${amountMax}, in minor units.`);
  }
  if (!/^[a-z]{3}$/.test(currency)) {
    throw refusal('A currency must be an ISO 4217 code in lower case, such as eur.');
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

/** Returns what a discount takes off a whole period, in minor units: at most its price. */
function discountOf({ discount }: Pick<SandboxSubscription, 'discount'>, { amount }: PlanPrice): number {
  if (discount === null) return 0;
  const { percentOff, amountOff } = discount;
  return percentOff === null ? Math.min(amount, amountOff ?? 0) : percentageOf(amount, percentOff);
}

function lineOf(description: string, amount: number, periodStartsAt: Timestamp, periodEndsAt: Timestamp): InvoiceLine {
  return { description, quantity: 1, amount, periodStartsAt, periodEndsAt };
}

/**
 * Returns the cost of a plan change at `at`: a credit for the unused days, and the same part of the new price and of its
 * discount. `net`: the charge after the discount and without tax, for the rest of the period from `startsAt` to `endsAt`;
 * another interval starts a new one. A discount above the sum of the lines is part of the charge's line,
 * because an invoice that is a credit has no discount.
 */
export function chargeOfChange(subscription: SandboxSubscription, price: PlanPrice, at: Timestamp) {
  const { anchorAt, currentPeriodStartsAt, currentPeriodEndsAt, periodCharge, price: old } = subscription;
  const unused = partOf(periodCharge.amount, at, periodCharge.startsAt, currentPeriodEndsAt);
  const isSamePeriod = periodEnd(anchorAt, price.interval, currentPeriodStartsAt) === currentPeriodEndsAt;
  const startsAt = isSamePeriod ? currentPeriodStartsAt : at;
  const endsAt = isSamePeriod ? currentPeriodEndsAt : periodEnd(at, price.interval, at);
  const charge = partOf(price.amount, at, startsAt, endsAt);
  const off = partOf(discountOf(subscription, price), at, startsAt, endsAt);
  const net = charge - off;
  const isInLine = off > charge - unused;
  const name = isSamePeriod ? `Remaining time on ${price.planName}` : price.planName;
  const lines = [
    // `-unused` would be minus zero for zero, which `toEqual` and `Object.is` distinguish from zero.
    lineOf(`Unused time on ${old.planName}`, 0 - unused, at, currentPeriodEndsAt),
    lineOf(isInLine && off > 0 ? `${name}, after the discount` : name, isInLine ? net : charge, at, endsAt),
  ];
  return { lines, discount: isInLine ? 0 : off, isDiscounted: off > 0, net, startsAt, endsAt };
}

/** Returns the cost of the whole current period. */
export function chargeOfPeriod(subscription: SandboxSubscription): Charge {
  const { price, currentPeriodStartsAt, currentPeriodEndsAt } = subscription;
  const lines = [lineOf(price.planName, price.amount, currentPeriodStartsAt, currentPeriodEndsAt)];
  const discount = discountOf(subscription, price);
  return { lines, discount, isDiscounted: discount > 0 };
}

const monthsOf: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 };

/**
 * Returns the end of the period that begins at `startsAt`. It keeps the day of the anchor, so that a short month does not
 * shift the later ones: January 31 → February 28 → March 31.
 */
export function periodEnd(anchorAt: Timestamp, interval: BillingInterval, startsAt: Timestamp): Timestamp {
  return addMonths(startsAt, monthsOf[interval], 'UTC', anchorAt);
}

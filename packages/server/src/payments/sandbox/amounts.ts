import type { Timestamp } from '../../lib/clock.ts';
import { type Discount, type InvoiceLine, PaymentProviderError, type PlanPrice, type TaxLine } from '../provider.ts';
import { percentageOf, type TaxLocation, type TaxRules, taxesOf } from '../tax/taxes.ts';

/** The amounts of an invoice in minor units: `subtotal - discount + tax = total`. */
export interface Amounts {
  readonly subtotal: number;
  readonly discount: number;
  readonly taxes: readonly TaxLine[];
  readonly tax: number;
  readonly total: number;
}

/** Who is taxed, and by which rules. */
export interface Taxation {
  readonly location: TaxLocation | null;
  readonly rules: TaxRules;
}

/** A tax without amounts. */
export type TaxRate = Omit<TaxLine, 'base' | 'amount'>;

/** A part of an invoice that refunds an amount charged under taxes other than the current ones. */
export interface TaxedCredit {
  /** Negative, in minor units. */
  readonly base: number;
  readonly rates: readonly TaxRate[];
}

/** Lines of an invoice, and what the discount takes off them. */
export interface Charge {
  readonly lines: readonly InvoiceLine[];
  readonly discount: number;
  /** Whether the subscription's discount lowered it, also within a line. */
  readonly isDiscounted: boolean;
  readonly credit?: TaxedCredit;
}

/** Returns the sum of invoice lines in minor units. */
export function sumOf(lines: readonly { readonly amount: number }[]): number {
  return lines.reduce((sum, line) => sum + line.amount, 0);
}

/** Returns the rates of taxes. */
export function ratesOf(taxes: readonly TaxLine[]): readonly TaxRate[] {
  return taxes.map(({ country, ratePercent, treatment }) => ({ country, ratePercent, treatment }));
}

function isSameTax(one: readonly TaxRate[], other: readonly TaxRate[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Taxes a credit by the rates of the charge that it gives back, and the rest by the customer's location. */
function taxesOfCharge(
  base: number,
  credit: TaxedCredit | undefined,
  { location, rules }: Taxation,
): readonly TaxLine[] {
  const taxes = taxesOf(base, location, rules);
  if (credit === undefined || isSameTax(credit.rates, ratesOf(taxes))) return taxes;
  const given = credit.rates.map((rate) => ({
    ...rate,
    base: credit.base,
    amount: percentageOf(credit.base, rate.ratePercent),
  }));
  return [...given, ...taxesOf(base - credit.base, location, rules)];
}

/** Returns the amounts of an invoice. A negative net amount, a credit, has negative tax. */
export function amountsOf(
  { lines, discount, credit }: Pick<Charge, 'lines' | 'discount' | 'credit'>,
  taxation: Taxation,
): Amounts {
  const subtotal = sumOf(lines);
  const taxes = taxesOfCharge(subtotal - discount, credit, taxation);
  const tax = sumOf(taxes);
  return { subtotal, discount, taxes, tax, total: subtotal - discount + tax };
}

/**
 * Returns the amount due after credit, in minor units. It is 0 for a negative total, which increases the credit
 * instead.
 */
export function amountDueOf(total: number, balance: number): number {
  return Math.max(0, total - Math.max(0, balance));
}

/**
 * Returns what a discount takes off a charge, in minor units: at most the whole charge. `share` is the part of an
 * amount that falls on the charged time; a percentage needs no share.
 */
export function discountOf(
  discount: Discount | null,
  charge: number,
  share: (amount: number) => number = (amount) => amount,
): number {
  if (discount === null || charge <= 0) return 0;
  const { percentOff, amountOff, duration } = discount;
  if (percentOff !== null) return percentageOf(charge, percentOff);
  // An amount that applies once is for one invoice. A lasting one is for each period, so a part of a period has a part.
  const off = amountOff ?? 0;
  return Math.min(charge, duration === 'once' ? off : share(off));
}

/** Returns the discount that applies at a time; null when it has ended. */
export function discountAt({ discount }: { readonly discount: Discount | null }, at: Timestamp): Discount | null {
  return discount?.endsAt != null && discount.endsAt <= at ? null : discount;
}

/**
 * Returns the part of a tax that belongs to a refund, so that the parts of several refunds add up to that of their sum.
 * `before`: the amount refunded earlier; `total`: the invoice's total, with the tax.
 */
export function taxOfRefund({ tax, total }: Pick<Amounts, 'tax' | 'total'>, before: number, amount: number): number {
  return taxUpTo(tax, total, before + amount) - taxUpTo(tax, total, before);
}

/** Returns the part of an amount of an invoice without its tax, in minor units. `amount` is at most the total. */
export function netOf(invoice: Pick<Amounts, 'tax' | 'total'>, amount: number): number {
  return amount === 0 ? 0 : amount - taxOfRefund(invoice, 0, amount);
}

/** Rounds half away from zero. The product can exceed the safe integers. */
function taxUpTo(tax: number, total: number, amount: number): number {
  const part = Number((2n * BigInt(Math.abs(tax)) * BigInt(amount) + BigInt(total)) / (2n * BigInt(total)));
  return tax < 0 && part !== 0 ? -part : part;
}

/**
 * Stripe's limit in minor units. It also keeps the product of an amount and the seconds of a period an exact integer.
 */
const amountMax = 99_999_999;

/** Throws `refused` for a price that providers do not accept. */
export function assertPrice({ amount, currency }: Pick<PlanPrice, 'amount' | 'currency'>): void {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > amountMax) {
    throw new PaymentProviderError('refused', `An amount must be an integer from 0 to ${amountMax}, in minor units.`);
  }
  if (!/^[a-z]{3}$/.test(currency)) {
    throw new PaymentProviderError('refused', 'A currency must be an ISO 4217 code in lower case, such as eur.');
  }
}

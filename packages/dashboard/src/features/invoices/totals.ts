import type { Invoice } from '../../api/billing.ts';
import { countryName } from '../../lib/countries.ts';
import { formatMoney, formatRate } from '../../lib/text.ts';

/** A sum below the lines of an invoice. Amounts are in minor units. */
export interface Total {
  readonly label: string;
  readonly amount: number;
  readonly isStrong?: boolean;
}

type Tax = Invoice['taxes'][number];

/** Returns a tax in words, with its rate and its base: "Tax, Germany, 19 % on €100.00". */
function taxLabel({ country, rate, treatment, base }: Tax, currency: string): string {
  const place = country === null ? '' : `, ${countryName(country)}`;
  switch (treatment) {
    case 'standard':
      return `Tax${place}, ${formatRate(rate)} on ${formatMoney(base, currency)}`;
    case 'reverse_charge':
      return `Reverse charge${place}: the customer owes the tax on ${formatMoney(base, currency)}`;
    case 'not_collected':
      return `Tax${place}: not collected`;
  }
}

/** Returns the taxes of an invoice or of a preview, one by rate. */
function taxTotals(taxes: readonly Tax[], tax: number, currency: string): Total[] {
  if (taxes.length === 0) return [{ label: 'Tax', amount: tax }];
  return taxes.map((one) => ({ label: taxLabel(one, currency), amount: one.amount }));
}

/** Returns the sums of an invoice: subtotal - discount + tax = total. */
export function totalsOf(invoice: Invoice): Total[] {
  const { currency, subtotal, discount, taxes, tax, total, amount_paid, amount_refunded, amount_due, status } = invoice;
  return [
    { label: 'Subtotal', amount: subtotal },
    ...(discount === 0 ? [] : [{ label: 'Discount', amount: -discount }]),
    ...taxTotals(taxes, tax, currency),
    { label: 'Total', amount: total, isStrong: true },
    ...(status === 'draft' ? [] : [{ label: 'Paid', amount: amount_paid }]),
    ...(amount_refunded === 0 ? [] : [{ label: 'Refunded', amount: -amount_refunded }]),
    // Only open invoices have an amount due.
    ...(status === 'open' ? [{ label: 'Amount due', amount: amount_due, isStrong: true }] : []),
  ];
}

/** The lines and the amount due of a preview. Amounts are in minor units. */
interface Preview {
  readonly lines: readonly { readonly amount: number }[];
  readonly discount: number;
  readonly tax: number;
  readonly amount_due: number;
}

/** Returns the sums of a preview. Credit reduces the amount due, which is never below zero. */
export function previewTotals({ lines, discount, tax, amount_due }: Preview, label: string): Total[] {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0) - discount + tax;
  return [
    ...(discount === 0 ? [] : [{ label: 'Discount', amount: -discount }]),
    ...(tax === 0 ? [] : [{ label: 'Tax', amount: tax }]),
    ...(total === amount_due ? [] : [{ label: total < 0 ? 'Credit for later' : 'Credit', amount: amount_due - total }]),
    { label, amount: amount_due, isStrong: true },
  ];
}

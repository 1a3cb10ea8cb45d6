import type { Invoice } from '../../api/billing.ts';
import { countryName } from '../../lib/countries.ts';
import { formatMoney, formatNumber } from '../../lib/text.ts';

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
      return `Tax${place}, ${formatNumber(rate)} % on ${formatMoney(base, currency)}`;
    case 'reverse_charge':
      return `Reverse charge${place}: the customer owes the tax on ${formatMoney(base, currency)}`;
    case 'not_collected':
      return `Tax${place}: not collected`;
  }
}

/** Returns the taxes of an invoice or of a preview, one by rate. */
export function taxTotals(taxes: readonly Tax[], tax: number, currency: string): Total[] {
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
    { label: 'Paid', amount: amount_paid },
    ...(amount_refunded === 0 ? [] : [{ label: 'Refunded', amount: -amount_refunded }]),
    // Of an invoice that is not open, nothing is to be paid, whatever it was issued for.
    ...(status === 'open' ? [{ label: 'Amount due', amount: amount_due, isStrong: true }] : []),
  ];
}

/**
 * Returns the sums of a preview. The service tells its lines and what is due; discount, tax and credit are between them,
 * and what is due is never below zero.
 */
export function previewTotals(lines: readonly { readonly amount: number }[], due: Total): Total[] {
  const between = due.amount - lines.reduce((sum, { amount }) => sum + amount, 0);
  return between === 0 ? [due] : [{ label: 'Discount, tax and credit', amount: between }, due];
}

import { countryName } from '../../../lib/countries.ts';
import { formatMoney } from '../../../lib/money.ts';
import { hasVat } from '../../../lib/vat-id.ts';
import type { TaxLine } from '../../../payments/provider.ts';

/** One row of the sums below the lines of a document. */
export interface DocumentSum {
  readonly name: string;
  readonly value: string;
  /** True for the total. */
  readonly isTotal: boolean;
}

/** Creates a row of the sums from an amount in minor units. */
export function sumOf(name: string, amount: number, currency: string, isTotal = false): DocumentSum {
  return { name, value: formatMoney(amount, currency), isTotal };
}

/** Names the tax of a country: `VAT` where it is a value added tax with VAT ids, else `Tax`. */
function taxName(country: string | null): string {
  return country !== null && hasVat(country) ? 'VAT' : 'Tax';
}

function treatmentOf({ treatment, country }: TaxLine): string {
  switch (treatment) {
    case 'standard':
      return country === null ? '' : ` (${countryName(country)})`;
    case 'reverse_charge':
      return ' (reverse charge)';
    case 'not_collected':
      return country === null ? ' (not collected)' : ` (${countryName(country)}, not collected)`;
  }
}

/** Returns the row of a tax, such as `VAT 19% on EUR 29.00 (Germany)`. */
export function taxSum(line: TaxLine, currency: string): DocumentSum {
  const { country, ratePercent, base, amount } = line;
  const name = `${taxName(country)} ${ratePercent}% on ${formatMoney(base, currency)}${treatmentOf(line)}`;
  return sumOf(name, amount, currency);
}

/** Returns the notes that the law requires on a document: empty unless the recipient owes the VAT itself. */
export function taxNotes(
  taxes: readonly TaxLine[],
  taxIds: { readonly seller: string | null; readonly customer: string | null },
): string[] {
  if (!taxes.some(({ treatment }) => treatment === 'reverse_charge')) return [];
  const seller = taxIds.seller === null ? [] : [`VAT ID of the seller: ${taxIds.seller}`];
  const customer = taxIds.customer === null ? [] : [`VAT ID of the recipient: ${taxIds.customer}`];
  return ['Reverse charge: the recipient owes the VAT.', ...seller, ...customer];
}

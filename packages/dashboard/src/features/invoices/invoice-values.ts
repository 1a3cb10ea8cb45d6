import type { CreateInvoice } from '../../api/commerce.ts';
import { moneyText, parseMoney } from '../../lib/money.ts';

/** A line of a new invoice as its form holds it: the price in units of the currency, as people write it. */
export interface LineValue {
  readonly description: string;
  readonly quantity: number | string;
  readonly unit_amount: string;
}

/** A new invoice as its form holds it. */
export interface InvoiceValues extends Record<string, unknown> {
  readonly tenant_id: string;
  readonly currency: string;
  readonly lines: LineValue[];
  readonly due_in_days: number | string;
}

/** A line before anybody writes in it. */
export const emptyLine: LineValue = { description: '', quantity: 1, unit_amount: '' };

/** Returns the values of a new invoice to a tenant; the tenant may still be unknown. */
export function newInvoice(tenantId: string): InvoiceValues {
  return { tenant_id: tenantId, currency: 'usd', lines: [emptyLine], due_in_days: 14 };
}

/** Returns the amount of a line in minor units; undefined while it has no price or quantity. */
export function lineAmount({ quantity, unit_amount }: LineValue, currency: string): number | undefined {
  const unit = parseMoney(unit_amount, currency);
  if (unit === undefined || quantity === '') return undefined;
  const amount = unit * Number(quantity);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** Returns the sum of the lines in minor units, before discount and tax. Lines without an amount do not count. */
export function sumOf({ lines, currency }: Pick<InvoiceValues, 'lines' | 'currency'>): number {
  return lines.reduce((sum, line) => sum + (lineAmount(line, currency) ?? 0), 0);
}

/** Validates a new invoice; returns an error message per field. */
export function problemsOf(values: InvoiceValues): Record<string, string> {
  const { tenant_id, currency, lines, due_in_days } = values;
  const problems: [string, string | null][] = [
    ['tenant_id', tenant_id === '' ? 'Choose a tenant.' : null],
    ['currency', /^[a-z]{3}$/.test(currency) ? null : 'Enter a currency code of three letters, such as eur.'],
    ['due_in_days', due_in_days === '' ? 'Enter the number of days, or 0 if the invoice is due immediately.' : null],
    ...lines.flatMap((line, index): [string, string | null][] => [
      [`lines.${index}.description`, line.description.trim() === '' ? 'Enter a description.' : null],
      [`lines.${index}.quantity`, line.quantity === '' ? 'Enter a quantity.' : null],
      [`lines.${index}.unit_amount`, problemOfUnit(line.unit_amount, currency)],
    ]),
  ];
  const found = problems.filter((problem): problem is [string, string] => problem[1] !== null);
  return Object.fromEntries(found);
}

/** A negative price is a credit, so it is not wrong. */
function problemOfUnit(text: string, currency: string): string | null {
  if (text.trim() === '') return 'Enter a price.';
  return parseMoney(text, currency) === undefined
    ? `Enter a price without thousands separators, such as ${moneyText(12_345_678, currency)}.`
    : null;
}

/** Returns what the form sends: prices in minor units. */
export function invoiceInput({ tenant_id, currency, lines, due_in_days }: InvoiceValues): CreateInvoice {
  return {
    tenant_id,
    currency,
    lines: lines.map(({ description, quantity, unit_amount }) => ({
      description: description.trim(),
      quantity: Number(quantity),
      unit_amount: parseMoney(unit_amount, currency) ?? 0,
    })),
    due_in_days: Number(due_in_days),
  };
}

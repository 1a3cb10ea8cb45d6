import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { countryName } from '../../../lib/countries.ts';
import { AppError } from '../../../lib/error.ts';
import { formatMoney } from '../../../lib/money.ts';
import type { CustomerDetails, InvoiceLine, TaxLine } from '../../../payments/provider.ts';
import { type DocumentSum, sumOf, taxNotes, taxSum } from './document-sums.ts';
import { invoiceNumber } from './invoice.ts';

/** The formatted content of an invoice or a credit note, shared by its PDF and its HTML page. */
export interface BillingDocument {
  /** The kind of document, such as `Invoice`. */
  readonly kind: string;
  readonly number: string;
  /** Labels with their values, such as the date of issue. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly seller: readonly string[];
  readonly customer: readonly string[];
  readonly lines: readonly {
    readonly description: string;
    /** Empty when the line has no period. */
    readonly period: string;
    readonly quantity: string;
    readonly amount: string;
  }[];
  readonly sums: readonly DocumentSum[];
  readonly notes: readonly string[];
  /** When the content became final. */
  readonly issuedAt: string;
}

/** The two parties of an invoice, as they were when it was finalized. */
export interface Parties {
  readonly seller: readonly string[];
  readonly customer: readonly string[];
  readonly taxIds: { readonly seller: string | null; readonly customer: string | null };
}

const states = { draft: 'Draft', open: 'Open', paid: 'Paid', void: 'Void', uncollectible: 'Uncollectible' } as const;

/** Returns the day of a timestamp. */
export const dayOf = (timestamp: string) => timestamp.slice(0, 10);

/** Removes empty lines. */
const filled = (lines: readonly (string | null | undefined)[]) => lines.flatMap((line) => (line ? [line] : []));

/**
 * Returns the formatted invoice. Throws 409 `INVOICE.NOT_FINAL` for a draft, which has no number and may still change.
 */
export function formatInvoice(row: InvoicesTable): BillingDocument {
  const number = invoiceNumber(row);
  if (number === null || row.finalized_at === null) {
    throw new AppError(
      'INVOICE.NOT_FINAL',
      'This invoice is a draft and may still change. Wait until it is finalized.',
    );
  }
  const facts: [string, string][] = [
    ['Invoice number', number],
    ['Date of issue', dayOf(row.finalized_at)],
  ];
  if (row.due_at !== null) facts.push(['Due', dayOf(row.due_at)]);
  if (row.paid_at !== null) facts.push(['Paid', dayOf(row.paid_at)]);
  facts.push(['State', states[row.status]]);
  const { seller, customer, taxIds } = partiesOf(row);
  const lines: readonly InvoiceLine[] = JSON.parse(row.lines_json);
  return {
    kind: 'Invoice',
    number,
    facts,
    seller,
    customer,
    lines: lines.map((line) => ({
      description: line.description,
      period: periodOf(line),
      quantity: String(line.quantity),
      amount: formatMoney(line.amount, row.currency),
    })),
    sums: sumsOf(row),
    notes: taxNotes(taxesOf(row), taxIds),
    issuedAt: row.finalized_at,
  };
}

/** Returns the taxes of an invoice by rate; empty for an invoice that was stored without them. */
export function taxesOf({ taxes_json }: Pick<InvoicesTable, 'taxes_json'>): readonly TaxLine[] {
  return JSON.parse(taxes_json);
}

function sumsOf(row: InvoicesTable): DocumentSum[] {
  const { currency, subtotal, discount, coupon_code, tax, total, amount_due, amount_paid, amount_refunded } = row;
  const taxes = taxesOf(row);
  const sum = (name: string, amount: number) => sumOf(name, amount, currency);
  const optional = (name: string, amount: number) => (amount === 0 ? [] : [sum(name, -amount)]);
  return [
    sum('Subtotal', subtotal),
    ...optional(coupon_code === null ? 'Discount' : `Discount (${coupon_code})`, discount),
    ...(taxes.length === 0 ? [sum('Tax', tax)] : taxes.map((line) => taxSum(line, currency))),
    sumOf('Total', total, currency, true),
    ...(total < 0 ? [sum('Added to the credit', -total)] : optional('Credit applied', total - amount_due)),
    sum('Paid', amount_paid),
    ...(amount_refunded === 0 ? [] : [sum('Refunded', amount_refunded)]),
    sum('Amount due', row.status === 'open' ? amount_due : 0),
  ];
}

function periodOf({ periodStartsAt, periodEndsAt }: InvoiceLine): string {
  return periodStartsAt === null || periodEndsAt === null ? '' : `${dayOf(periodStartsAt)} to ${dayOf(periodEndsAt)}`;
}

/** Returns the seller and the recipient of an invoice. */
export function partiesOf({ seller_json, customer_json }: InvoicesTable): Parties {
  const seller: { name: string; address: string; taxId?: string | null } | null = JSON.parse(seller_json ?? 'null');
  const customer: CustomerDetails | null = JSON.parse(customer_json ?? 'null');
  const taxIds = { seller: seller?.taxId ?? null, customer: customer?.taxId ?? null };
  return {
    seller: seller === null ? [] : filled([seller.name, ...seller.address.split('\n'), taxLine(taxIds.seller)]),
    customer: customerLines(customer),
    taxIds,
  };
}

const taxLine = (taxId: string | null) => (taxId === null ? null : `Tax ID ${taxId}`);

function customerLines(customer: CustomerDetails | null): string[] {
  if (customer === null) return [];
  const { name, email, address, taxId } = customer;
  const place = address === null ? [] : [address.postal_code, address.city, address.state];
  const street = address === null ? [] : [address.line1, address.line2];
  const country = address === null ? null : countryName(address.country);
  return filled([name, ...street, filled(place).join(' '), country, email, taxLine(taxId)]);
}

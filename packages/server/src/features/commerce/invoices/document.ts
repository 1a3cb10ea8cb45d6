import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { countryName } from '../../../lib/countries.ts';
import { AppError } from '../../../lib/error.ts';
import { formatMoney } from '../../../lib/money.ts';
import { readableDay } from '../../../lib/readable-time.ts';
import { hasVat } from '../../../lib/vat-id.ts';
import type { CustomerDetails, InvoiceLine, TaxLine } from '../../../payments/provider.ts';
import { creditNoteNumber, invoiceNumber } from './invoice.ts';

/** One row of the sums below the lines of a document. */
export interface DocumentSum {
  readonly name: string;
  readonly value: string;
  /** True for the total. */
  readonly isTotal: boolean;
}

/** Creates a row of the sums from an amount in minor units. */
function sumOf(name: string, amount: number, currency: string, isTotal = false): DocumentSum {
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
function taxSum(line: TaxLine, currency: string): DocumentSum {
  const { country, ratePercent, base, amount } = line;
  const name = `${taxName(country)} ${ratePercent}% on ${formatMoney(base, currency)}${treatmentOf(line)}`;
  return sumOf(name, amount, currency);
}

/** Returns the notes that the law requires on a document: empty unless the recipient owes the VAT itself. */
function taxNotes(
  taxes: readonly TaxLine[],
  taxIds: { readonly seller: string | null; readonly customer: string | null },
): string[] {
  if (!taxes.some(({ treatment }) => treatment === 'reverse_charge')) return [];
  const seller = taxIds.seller === null ? [] : [`VAT ID of the seller: ${taxIds.seller}`];
  const customer = taxIds.customer === null ? [] : [`VAT ID of the recipient: ${taxIds.customer}`];
  return ['Reverse charge: the recipient owes the VAT.', ...seller, ...customer];
}

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
    ['Date of issue', readableDay(row.finalized_at)],
  ];
  if (row.due_at !== null) facts.push(['Due', readableDay(row.due_at)]);
  if (row.paid_at !== null) facts.push(['Paid', readableDay(row.paid_at)]);
  facts.push(['Status', states[row.status]]);
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
function taxesOf({ taxes_json }: Pick<InvoicesTable, 'taxes_json'>): readonly TaxLine[] {
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
  return periodStartsAt === null || periodEndsAt === null
    ? ''
    : `${readableDay(periodStartsAt)} to ${readableDay(periodEndsAt)}`;
}

/** Returns the seller and the recipient of an invoice. */
function partiesOf({ seller_json, customer_json }: InvoicesTable): Parties {
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

/** Returns a formatted credit note. Its parties are those of its invoice. */
export function formatCreditNote(row: CreditNotesTable, invoice: InvoicesTable): BillingDocument {
  const number = creditNoteNumber(row);
  const corrected = invoiceNumber(invoice) ?? '';
  const { seller, customer, taxIds } = partiesOf(invoice);
  const facts: [string, string][] = [
    ['Number', number],
    ['Date of issue', readableDay(row.created_at)],
    ['Corrects invoice', corrected],
  ];
  if (invoice.finalized_at !== null) facts.push(['Date of the invoice', readableDay(invoice.finalized_at)]);
  const reason = row.reason === null ? '' : `: ${row.reason}`;
  const net = row.amount - row.tax;
  return {
    kind: 'Credit note',
    number,
    facts,
    seller,
    customer,
    lines: [
      {
        description: `Refund of invoice ${corrected}${reason}`,
        period: '',
        quantity: '1',
        amount: formatMoney(net, invoice.currency),
      },
    ],
    sums: creditNoteSums(row, invoice, net),
    notes: taxNotes(taxesOf(invoice), taxIds),
    issuedAt: row.created_at,
  };
}

/** The refunded tax is known by rate if the invoice has one rate. */
function creditNoteSums(row: CreditNotesTable, invoice: InvoicesTable, net: number): DocumentSum[] {
  const { currency } = invoice;
  const [tax, ...others] = taxesOf(invoice);
  const isOneRate = tax !== undefined && others.length === 0;
  return [
    sumOf('Subtotal', net, currency),
    isOneRate ? taxSum({ ...tax, base: net, amount: row.tax }, currency) : sumOf('Tax', row.tax, currency),
    sumOf('Total refunded', row.amount, currency, true),
  ];
}

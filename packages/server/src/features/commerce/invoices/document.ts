import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { formatMoney } from '../../../lib/money.ts';
import type { CustomerDetails, InvoiceLine } from '../../../payments/provider.ts';
import { invoiceNumber } from './invoice.ts';

/** The formatted content of an invoice, shared by its PDF and its HTML page. */
export interface InvoiceDocument {
  readonly number: string;
  readonly status: InvoicesTable['status'];
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
  readonly sums: readonly (readonly [name: string, value: string])[];
  readonly finalizedAt: string;
}

const states = { draft: 'Draft', open: 'Open', paid: 'Paid', void: 'Void', uncollectible: 'Uncollectible' } as const;
const day = (timestamp: string) => timestamp.slice(0, 10);
/** Removes empty lines. */
const filled = (lines: readonly (string | null | undefined)[]) => lines.filter((line) => !!line) as string[];

/**
 * Returns the formatted invoice. Throws 409 `INVOICE.NOT_FINAL` for a draft, which has no number and may still change.
 */
export function formatInvoice(row: InvoicesTable): InvoiceDocument {
  const number = invoiceNumber(row);
  if (number === null || row.finalized_at === null) {
    throw new AppError(
      'INVOICE.NOT_FINAL',
      'This invoice is a draft and may still change. Wait until it is finalized.',
    );
  }
  const money = (amount: number) => formatMoney(amount, row.currency);
  const facts: [string, string][] = [
    ['Invoice number', number],
    ['Date of issue', day(row.finalized_at)],
  ];
  if (row.due_at !== null) facts.push(['Due', day(row.due_at)]);
  if (row.paid_at !== null) facts.push(['Paid', day(row.paid_at)]);
  facts.push(['State', states[row.status]]);
  return {
    number,
    status: row.status,
    facts,
    seller: sellerLines(row),
    customer: customerLines(JSON.parse(row.customer_json ?? 'null')),
    lines: (JSON.parse(row.lines_json) as InvoiceLine[]).map((line) => ({
      description: line.description,
      period: periodOf(line),
      quantity: String(line.quantity),
      amount: money(line.amount),
    })),
    sums: [
      ['Subtotal', money(row.subtotal)],
      ['Tax', money(row.tax)],
      ['Total', money(row.total)],
      ['Paid', money(row.amount_paid)],
      ['Amount due', money(row.status === 'open' ? row.amount_due : 0)],
    ],
    finalizedAt: row.finalized_at,
  };
}

function periodOf({ periodStartsAt, periodEndsAt }: InvoiceLine): string {
  return periodStartsAt === null || periodEndsAt === null ? '' : `${day(periodStartsAt)} to ${day(periodEndsAt)}`;
}

function sellerLines({ seller_json }: InvoicesTable): string[] {
  const seller: { name: string; address: string } | null = JSON.parse(seller_json ?? 'null');
  return seller === null ? [] : filled([seller.name, ...seller.address.split('\n')]);
}

function customerLines(customer: CustomerDetails | null): string[] {
  if (customer === null) return [];
  const { name, email, address, taxId } = customer;
  const place = address === null ? [] : [address.postal_code, address.city, address.state];
  const street = address === null ? [] : [address.line1, address.line2];
  const taxLine = taxId === null ? null : `Tax ID ${taxId}`;
  return filled([name, ...street, filled(place).join(' '), address?.country, email, taxLine]);
}

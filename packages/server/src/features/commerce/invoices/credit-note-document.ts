import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { formatMoney } from '../../../lib/money.ts';
import { creditNoteNumber } from './credit-note.ts';
import { type BillingDocument, dayOf, partiesOf, taxesOf } from './document.ts';
import { type DocumentSum, sumOf, taxNotes, taxSum } from './document-sums.ts';
import { invoiceNumber } from './invoice.ts';

/** Returns a formatted credit note. Its parties are those of its invoice. */
export function formatCreditNote(row: CreditNotesTable, invoice: InvoicesTable): BillingDocument {
  const number = creditNoteNumber(row);
  const corrected = invoiceNumber(invoice) ?? '';
  const { seller, customer, taxIds } = partiesOf(invoice);
  const facts: [string, string][] = [
    ['Number', number],
    ['Date of issue', dayOf(row.created_at)],
    ['Corrects invoice', corrected],
  ];
  if (invoice.finalized_at !== null) facts.push(['Date of the invoice', dayOf(invoice.finalized_at)]);
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
    sums: sumsOf(row, invoice, net),
    notes: taxNotes(taxesOf(invoice), taxIds),
    issuedAt: row.created_at,
  };
}

/** The refunded tax is known by rate if the invoice has one rate. */
function sumsOf(row: CreditNotesTable, invoice: InvoicesTable, net: number): DocumentSum[] {
  const { currency } = invoice;
  const [tax, ...others] = taxesOf(invoice);
  const isOneRate = tax !== undefined && others.length === 0;
  return [
    sumOf('Subtotal', net, currency),
    isOneRate ? taxSum({ ...tax, base: net, amount: row.tax }, currency) : sumOf('Tax', row.tax, currency),
    sumOf('Total refunded', row.amount, currency, true),
  ];
}

import type { Timestamp } from '../../lib/clock.ts';
import { readableDay } from '../../lib/readable-time.ts';
import type { Mail } from '../transport.ts';
import { type LetterRow, openService, writeLetter } from './layout.ts';

interface InvoiceMail {
  readonly to: string;
  readonly tenantName: string;
  readonly invoice: {
    readonly id: string;
    /** The printed number. */
    readonly number: string;
    /** The sums below the lines of the invoice. */
    readonly sums: readonly LetterRow[];
  };
  /** The amount that the mail is about, such as `USD 29.00`. */
  readonly amount: string;
  readonly publicUrl: string;
}

interface OpenInvoiceMail extends InvoiceMail {
  /** The page on which the invoice can be paid without logging in, or null. */
  readonly paymentUrl: string | null;
  readonly dueAt: Timestamp | null;
}

interface CreditNoteMail extends InvoiceMail {
  readonly creditNote: { readonly id: string; readonly number: string };
  readonly reason: string | null;
}

const noteFor = (tenantName: string) =>
  `You received this email because you are the billing contact of ${tenantName}, or because you own it.`;

/** Where the customer finds all invoices. */
const open = ({ publicUrl }: InvoiceMail) => openService({ publicUrl });

const attached = (invoice: InvoiceMail['invoice']) => [{ document: 'invoice', id: invoice.id } as const];

/** Creates the receipt of a payment, with the paid invoice. */
export function receiptMail(mail: InvoiceMail): Mail {
  const { to, tenantName, invoice, amount } = mail;
  return writeLetter({
    to,
    subject: `${tenantName}: receipt for invoice ${invoice.number}`,
    paragraphs: [
      `We have received your payment of ${amount} for invoice ${invoice.number}. Thank you.`,
      'The invoice is attached.',
    ],
    rows: invoice.sums,
    action: open(mail),
    note: noteFor(tenantName),
    attachments: attached(invoice),
  });
}

/** Creates the mail with an unpaid invoice. */
export function invoiceMail(mail: OpenInvoiceMail): Mail {
  const { to, tenantName, invoice, amount, dueAt } = mail;
  const due = dueAt === null ? '' : ` by ${readableDay(dueAt)}`;
  return writeLetter({
    to,
    subject: `${tenantName}: invoice ${invoice.number}`,
    paragraphs: [`Please pay ${amount} for invoice ${invoice.number}${due}.`, 'The invoice is attached.'],
    rows: invoice.sums,
    action: payment(mail),
    note: noteFor(tenantName),
    attachments: attached(invoice),
  });
}

/** Creates the mail that reminds of an open invoice. `now` is by the provider's clock, as its due date. */
export function reminderMail(mail: OpenInvoiceMail, now: Timestamp): Mail {
  const { to, tenantName, invoice, amount, dueAt } = mail;
  const isOverdue = dueAt !== null && dueAt < now;
  const due = dueAt === null ? 'is still open' : `${isOverdue ? 'was' : 'is'} due on ${readableDay(dueAt)}`;
  return writeLetter({
    to,
    subject: `${tenantName}: invoice ${invoice.number} is ${isOverdue ? 'overdue' : 'still open'}`,
    paragraphs: [
      `The payment of ${amount} for invoice ${invoice.number} ${due}. If you have paid it in the meantime, ignore this email.`,
      'The invoice is attached.',
    ],
    rows: invoice.sums,
    action: payment(mail),
    note: noteFor(tenantName),
    attachments: attached(invoice),
  });
}

function payment(mail: OpenInvoiceMail) {
  return mail.paymentUrl === null ? open(mail) : { label: 'Pay now', url: mail.paymentUrl };
}

/** Creates the mail about a refund, with its credit note. */
export function creditNoteMail(mail: CreditNoteMail): Mail {
  const { to, tenantName, invoice, creditNote, amount, reason } = mail;
  const why = reason === null ? [] : [`Reason: ${reason}`];
  return writeLetter({
    to,
    subject: `${tenantName}: refund of ${amount}`,
    paragraphs: [
      `We have refunded ${amount} of invoice ${invoice.number}. Your bank may need a few days to show it.`,
      ...why,
      `The credit note ${creditNote.number} is attached.`,
    ],
    rows: invoice.sums,
    action: open(mail),
    note: noteFor(tenantName),
    attachments: [{ document: 'credit_note', id: creditNote.id }],
  });
}

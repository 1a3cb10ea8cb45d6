import type { PlatformTransaction } from '../../../db/database.ts';
import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { formatMoney } from '../../../lib/money.ts';
import { writeLetter } from '../../../mail/templates/layout.ts';
import type { Services } from '../../../services.ts';
import { creditNoteNumber } from './credit-note.ts';
import { invoiceNumber } from './invoice.ts';
import type { InvoiceParties } from './parties.ts';

type MailServices = Pick<Services, 'config' | 'mail'>;

interface AboutInvoice {
  readonly invoice: InvoicesTable;
  readonly parties: InvoiceParties;
}

interface Content {
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

// Every function enqueues in the caller's transaction. Callers call `mail.kick` after the commit.

async function enqueue(
  { config, mail }: MailServices,
  tx: PlatformTransaction,
  { invoice, parties }: AboutInvoice,
  content: Content,
): Promise<void> {
  const isUnpaid = invoice.status === 'open' && invoice.payment_url !== null;
  const letter = writeLetter({
    ...content,
    action: isUnpaid
      ? { label: 'Pay now', url: invoice.payment_url ?? config.publicUrl }
      : { label: 'Open the licensing service', url: config.publicUrl },
    note: `You receive this mail because ${parties.tenantName} lists you as its billing contact, or because you own it.`,
  });
  for (const to of new Set(parties.recipients)) await mail.enqueue(tx, { to, ...letter });
}

/** Enqueues the receipt of a paid invoice. */
export async function enqueueReceipt(services: MailServices, tx: PlatformTransaction, about: AboutInvoice) {
  const { invoice, parties } = about;
  const number = invoiceNumber(invoice);
  await enqueue(services, tx, about, {
    subject: `${parties.tenantName}: receipt for invoice ${number}`,
    paragraphs: [`We have received ${formatMoney(invoice.amount_paid, invoice.currency)} for invoice ${number}.`],
  });
}

/** Enqueues the notice of a refund with its credit note. */
export async function enqueueCreditNoteMail(
  services: MailServices,
  tx: PlatformTransaction,
  about: AboutInvoice & { readonly note: CreditNotesTable },
) {
  const { invoice, note, parties } = about;
  const amount = formatMoney(note.amount, invoice.currency);
  await enqueue(services, tx, about, {
    subject: `${parties.tenantName}: credit note ${creditNoteNumber(note)}`,
    paragraphs: [`We have refunded ${amount} of invoice ${invoiceNumber(invoice)}.`],
  });
}

/** Enqueues an open invoice, or the reminder of an overdue one. */
export async function enqueueInvoiceMail(
  services: MailServices,
  tx: PlatformTransaction,
  kind: 'sent' | 'reminder',
  about: AboutInvoice,
) {
  const { invoice, parties } = about;
  const number = invoiceNumber(invoice);
  const amount = formatMoney(invoice.amount_due, invoice.currency);
  const due = invoice.due_at === null ? '' : ` by ${invoice.due_at.slice(0, 10)}`;
  await enqueue(
    services,
    tx,
    about,
    kind === 'sent'
      ? {
          subject: `${parties.tenantName}: invoice ${number}`,
          paragraphs: [`Please pay ${amount} for invoice ${number}${due}.`],
        }
      : {
          subject: `${parties.tenantName}: invoice ${number} is overdue`,
          paragraphs: [`The payment of ${amount} for invoice ${number} was due${due}. Please pay it now.`],
        },
  );
}

import type { PlatformTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { formatMoney } from '../../../lib/money.ts';
import { creditNoteMail, invoiceMail, receiptMail, reminderMail } from '../../../mail/templates/invoices.ts';
import type { Mail } from '../../../mail/transport.ts';
import type { MailServices } from '../../../services.ts';
import { formatInvoice } from './document.ts';
import { creditNoteNumber, type InvoiceParties } from './invoice.ts';

// Every function enqueues in the caller's transaction. Callers call `mail.kick` after the commit.

interface AboutInvoice {
  readonly invoice: InvoicesTable;
  readonly parties: InvoiceParties;
}

/** Enqueues a mail to everybody who gets mails about an invoice. */
async function enqueueToAll(
  { mail }: MailServices,
  tx: PlatformTransaction,
  { invoice, parties }: AboutInvoice,
  write: (to: string) => Mail,
): Promise<void> {
  for (const to of new Set(parties.recipients)) {
    await mail.enqueue(tx, { ...write(to), tenantId: invoice.tenant_id });
  }
}

/** Returns what every mail about an invoice contains. `amount` is in minor units. */
function partsOf({ config }: MailServices, { invoice, parties }: AboutInvoice, amount: number) {
  const { number, sums } = formatInvoice(invoice);
  return {
    tenantName: parties.tenantName,
    invoice: { id: invoice.id, number, sums },
    amount: formatMoney(amount, invoice.currency),
    publicUrl: config.publicUrl,
  };
}

/** Enqueues the receipt of a paid invoice. */
export async function enqueueReceipt(
  services: MailServices,
  tx: PlatformTransaction,
  about: AboutInvoice,
): Promise<void> {
  const parts = partsOf(services, about, about.invoice.amount_paid);
  await enqueueToAll(services, tx, about, (to) => receiptMail({ to, ...parts }));
}

/** Enqueues the notice of a refund with its credit note. */
export async function enqueueCreditNoteMail(
  services: MailServices,
  tx: PlatformTransaction,
  { note, ...about }: AboutInvoice & { readonly note: CreditNotesTable },
): Promise<void> {
  const { id, amount, reason } = note;
  const creditNote = { id, number: creditNoteNumber(note) };
  const parts = { ...partsOf(services, about, amount), creditNote, reason };
  await enqueueToAll(services, tx, about, (to) => creditNoteMail({ to, ...parts }));
}

/** Enqueues an open invoice, or the reminder of it. `now` is by the provider's clock, as the due date. */
async function enqueueOpenInvoice(
  services: MailServices,
  tx: PlatformTransaction,
  { kind, now, ...about }: AboutInvoice & { readonly kind: 'sent' | 'reminder'; readonly now: Timestamp },
): Promise<void> {
  const { amount_due, amount_paid, payment_url: paymentUrl, due_at: dueAt } = about.invoice;
  const parts = { ...partsOf(services, about, amount_due - amount_paid), paymentUrl, dueAt };
  await enqueueToAll(services, tx, about, (to) =>
    kind === 'sent' ? invoiceMail({ to, ...parts }) : reminderMail({ to, ...parts }, now),
  );
}

interface Mailing {
  readonly kind: 'sent' | 'reminder';
  readonly invoice: InvoicesTable;
  readonly parties: InvoiceParties;
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  /** The current time, by the service's clock. */
  readonly at: Timestamp;
}

/**
 * Enqueues an open invoice, or the reminder of an overdue one, and stores when, in the caller's transaction, which has
 * locked the tenant. The caller must call `mail.kick` after the commit.
 */
export async function mailInvoice(
  services: MailServices,
  tx: PlatformTransaction,
  { kind, invoice, parties, now, at }: Mailing,
): Promise<void> {
  const mailedAt = kind === 'sent' ? { sent_at: at } : { reminded_at: at };
  await updateRows(tx, 'invoices', invoice.id, { ...mailedAt, updated_at: at });
  await enqueueOpenInvoice(services, tx, { kind, invoice, parties, now });
}

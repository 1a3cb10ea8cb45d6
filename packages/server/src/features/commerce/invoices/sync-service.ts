import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { newId } from '../../../lib/ids.ts';
import type { ProviderInvoice } from '../../../payments/provider.ts';
import type { MailServices } from '../../../services.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { storeCreditNotes } from './credit-note-service.ts';
import type { InvoiceParties } from './invoice.ts';
import { enqueueCreditNoteMail, enqueueReceipt } from './invoice-mail-service.ts';
import {
  deleteDraftRow,
  deleteLostDrafts,
  findInvoicesByProvider,
  type InvoicePayment,
  markReceipted,
  replaceDraft,
  takeInvoiceNumber,
  updateInvoicePayment,
  writeSyncedAt,
} from './queries.ts';

export { deleteDraftRow } from './queries.ts';

const auditOf = auditsOf('invoice');

/** How far the provider's clock may be behind the service's. */
const clockToleranceDays = 1;

/** Providers list at most this many invoices of a subscription, so the absence of an older one means nothing. */
const listedMax = 100;

interface InvoiceSync {
  readonly tenantId: string;
  /** Null for single invoices. */
  readonly subscriptionId: string | null;
  readonly provider: InvoicesTable['provider'];
  readonly invoices: readonly ProviderInvoice[];
  readonly parties: InvoiceParties;
  /** The id of an invoice that is stored first; a new one if absent. */
  readonly newInvoiceId?: string | undefined;
  /**
   * When the service began to bill the tenant. What was paid or refunded before is history, which is stored without a
   * mail. Everything later is mailed once, however late it is read.
   */
  readonly billedSince: Timestamp;
  /** The current time, by the service's clock. */
  readonly at: Timestamp;
}

/**
 * Syncs invoices of a tenant with the provider's, in the caller's transaction, which has locked the tenant. An invoice
 * gets its number when it is finalized, the oldest first, and keeps it for good. After that only its status, its
 * payment and its credit notes change. The customer gets a receipt for a payment, and a mail for each credit note.
 */
export async function syncInvoices(services: MailServices, tx: PlatformTransaction, sync: InvoiceSync): Promise<void> {
  const { subscriptionId, invoices, provider } = sync;
  const oldestFirst = [...invoices].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const knownInvoices = await findInvoicesByProvider(
    tx,
    provider,
    invoices.map(({ id }) => id),
  );
  for (const invoice of oldestFirst) {
    const known = knownInvoices.get(invoice.id);
    const row =
      known !== undefined && known.number !== null
        ? await syncPayment(tx, known, invoice, sync.at)
        : await syncContent(tx, known, invoice, sync);
    await syncCreditNotes(services, tx, row, invoice, sync);
    if (row.status === 'paid' && known?.status !== 'paid') await sendReceipt(services, tx, known, row, sync);
  }
  if (subscriptionId === null || invoices.length >= listedMax) return;
  await deleteLostDrafts(
    tx,
    subscriptionId,
    invoices.map(({ id }) => id),
  );
}

interface SingleInvoiceSync extends Omit<InvoiceSync, 'subscriptionId' | 'invoices'> {
  readonly invoice: ProviderInvoice;
}

/** Syncs a single invoice, which belongs to no subscription, like `syncInvoices`. */
export async function syncSingleInvoice(
  services: MailServices,
  tx: PlatformTransaction,
  { invoice, ...sync }: SingleInvoiceSync,
): Promise<void> {
  await syncInvoices(services, tx, { ...sync, subscriptionId: null, invoices: [invoice] });
  await writeSyncedAt(tx, sync.provider, invoice.id, sync.at);
}

/** Deletes the draft of a single invoice that the provider no longer has. A finalized invoice stays. */
export async function deleteLostDraft(
  tx: PlatformTransaction,
  provider: InvoicesTable['provider'],
  providerId: string,
): Promise<void> {
  const known = await findInvoiceByProvider(tx, provider, providerId);
  if (known !== undefined) await deleteDraftRow(tx, known.id);
}

/** Returns the stored invoice with the given id at the provider. */
export async function findInvoiceByProvider(
  db: PlatformDb['query'] | PlatformTransaction,
  provider: InvoicesTable['provider'],
  providerId: string,
): Promise<InvoicesTable | undefined> {
  return (await findInvoicesByProvider(db, provider, [providerId])).get(providerId);
}

/** Stores new credit notes. The customer gets a mail for each, unless it was imported from history. */
async function syncCreditNotes(
  services: MailServices,
  tx: PlatformTransaction,
  row: InvoicesTable,
  invoice: ProviderInvoice,
  { parties, billedSince, at }: InvoiceSync,
): Promise<void> {
  const reported = invoice.creditNotes.reduce((sum, { amount }) => sum + amount, 0);
  // Credit notes are immutable and positive, so an equal sum means that all of them are stored.
  if (row.number === null || reported === row.amount_refunded) return;
  const notes = await storeCreditNotes(tx, row, invoice.creditNotes, at);
  const owed = notes.filter(({ created_at }) => !isHistory(created_at, billedSince));
  const refunded = { ...row, amount_refunded: reported };
  for (const note of owed) await enqueueCreditNoteMail(services, tx, { invoice: refunded, note, parties });
}

function isHistory(paidAt: Timestamp, billedSince: Timestamp): boolean {
  return paidAt < addDays(billedSince, -clockToleranceDays);
}

/** Enqueues the receipt of an invoice that has been paid, once. An invoice that was imported from history gets none. */
async function sendReceipt(
  services: MailServices,
  tx: PlatformTransaction,
  known: InvoicesTable | undefined,
  row: InvoicesTable,
  { parties, billedSince, at }: InvoiceSync,
): Promise<void> {
  if (row.amount_paid <= 0) return;
  if (known === undefined && isHistory(row.paid_at ?? row.created_at, billedSince)) return;
  if (!(await markReceipted(tx, row.id, at))) return;
  await enqueueReceipt(services, tx, { invoice: row, parties });
}

const orderOf = ({ finalizedAt, createdAt, id }: ProviderInvoice) => `${finalizedAt ?? createdAt} ${createdAt} ${id}`;

function paymentOf(invoice: ProviderInvoice, at: Timestamp): InvoicePayment {
  return {
    status: invoice.status,
    amount_due: invoice.amountDue,
    amount_paid: invoice.amountPaid,
    attempt_count: invoice.attemptCount,
    next_attempt_at: invoice.nextAttemptAt,
    due_at: invoice.dueAt,
    paid_at: invoice.paidAt,
    payment_url: invoice.paymentUrl,
    updated_at: at,
  };
}

const comparedFields = [
  'status',
  'amount_due',
  'amount_paid',
  'attempt_count',
  'next_attempt_at',
  'due_at',
  'paid_at',
  'payment_url',
] as const;

async function syncPayment(
  tx: PlatformTransaction,
  known: InvoicesTable,
  invoice: ProviderInvoice,
  at: Timestamp,
): Promise<InvoicesTable> {
  const payment = paymentOf(invoice, at);
  const row = { ...known, ...payment };
  // A finalized invoice never becomes a draft again, so a response that says so is ignored.
  if (invoice.status === 'draft' || changedFields(known, row, comparedFields).length === 0) return known;
  await updateInvoicePayment(tx, known.id, payment);
  if (payment.status !== known.status) await recordState(tx, row, known.status, at);
  return row;
}

async function syncContent(
  tx: PlatformTransaction,
  known: InvoicesTable | undefined,
  invoice: ProviderInvoice,
  { tenantId, subscriptionId, provider, parties, newInvoiceId, at }: InvoiceSync,
): Promise<InvoicesTable> {
  const isFinal = invoice.status !== 'draft';
  const row: InvoicesTable = {
    ...paymentOf(invoice, at),
    id: known?.id ?? newInvoiceId ?? newId(),
    tenant_id: tenantId,
    subscription_id: subscriptionId,
    provider,
    provider_invoice_id: invoice.id,
    number: isFinal ? await takeInvoiceNumber(tx, tenantId) : null,
    currency: invoice.currency,
    collection_method: invoice.collectionMethod,
    subtotal: invoice.subtotal,
    discount: invoice.discount,
    coupon_code: invoice.couponCode,
    tax: invoice.tax,
    taxes_json: JSON.stringify(invoice.taxes),
    total: invoice.total,
    lines_json: JSON.stringify(invoice.lines),
    amount_refunded: 0,
    customer_json: isFinal ? parties.customerJson : null,
    seller_json: isFinal ? parties.sellerJson : null,
    sent_at: null,
    reminded_at: null,
    receipted_at: null,
    synced_at: known?.synced_at ?? null,
    finalized_at: isFinal ? (invoice.finalizedAt ?? invoice.createdAt) : null,
    created_at: known?.created_at ?? invoice.createdAt,
  };
  if (known === undefined) await insertRow(tx, 'invoices', row);
  else await replaceDraft(tx, row);
  if (!isFinal) return row;
  const changes = [
    { field: 'number', old: null, new: row.number },
    { field: 'total', old: null, new: row.total },
    { field: 'currency', old: null, new: row.currency },
  ];
  await recordPlatformAudit(tx, systemActor, { ...auditOf(row.id, 'INVOICE.FINALIZED'), changes, at });
  if (row.status !== 'open') await recordState(tx, row, 'open', at);
  return row;
}

const stateEvents = {
  draft: 'INVOICE.UPDATED',
  open: 'INVOICE.REOPENED',
  paid: 'INVOICE.PAID',
  void: 'INVOICE.VOIDED',
  uncollectible: 'INVOICE.MARKED_UNCOLLECTIBLE',
} as const;

async function recordState(
  tx: PlatformTransaction,
  row: InvoicesTable,
  before: InvoicesTable['status'],
  at: Timestamp,
): Promise<void> {
  const changes = [{ field: 'status', old: before, new: row.status }];
  await recordPlatformAudit(tx, systemActor, { ...auditOf(row.id, stateEvents[row.status]), changes, at });
}

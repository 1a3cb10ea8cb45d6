import type { PlatformTransaction } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { CreditNotesTable, InvoicesTable, RefundsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { isUuid, newId } from '../../../lib/ids.ts';
import { formatMoney } from '../../../lib/money.ts';
import type { ProviderCreditNote } from '../../../payments/provider.ts';
import type { MailServices } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { creditNoteNumber, type InvoiceParties } from './invoice.ts';
import { enqueueCreditNoteMail } from './invoice-mail-service.ts';
import {
  findCreditNoteByProvider,
  findRefund,
  findStoredCreditNotes,
  markRefundFailed,
  markRefundSucceeded,
  sumPendingRefunds,
  takeCreditNoteNumber,
  writeAmountRefunded,
} from './queries.ts';
import { requireInvoiceRow } from './service.ts';

export { findRefund } from './queries.ts';

/**
 * Stores the credit notes that the provider reports, the oldest first, and that are not stored yet, in the caller's
 * transaction, which has locked the tenant. Each gets its number and its audit record, and completes the refund that it
 * belongs to. Returns the new ones.
 */
export async function storeCreditNotes(
  tx: PlatformTransaction,
  invoice: InvoicesTable,
  notes: readonly ProviderCreditNote[],
  at: Timestamp,
): Promise<CreditNotesTable[]> {
  const stored = await findStoredCreditNotes(
    tx,
    invoice.provider,
    notes.map(({ id }) => id),
  );
  const rows: CreditNotesTable[] = [];
  for (const note of notes.filter(({ id }) => !stored.has(id))) {
    rows.push(await storeCreditNote(tx, invoice, note, at));
  }
  if (rows.length > 0) await writeAmountRefunded(tx, invoice.id, at);
  return rows;
}

async function storeCreditNote(
  tx: PlatformTransaction,
  { id: invoiceId, tenant_id, provider }: InvoicesTable,
  note: ProviderCreditNote,
  at: Timestamp,
): Promise<CreditNotesTable> {
  const refund = await findRefundOf(tx, invoiceId, note);
  const row: CreditNotesTable = {
    id: newId(),
    tenant_id,
    invoice_id: invoiceId,
    refund_id: refund?.id ?? null,
    provider,
    provider_credit_note_id: note.id,
    number: await takeCreditNoteNumber(tx, tenant_id),
    amount: note.amount,
    tax: note.tax,
    reason: refund?.reason ?? note.reason,
    created_at: note.createdAt,
  };
  await insertRow(tx, 'credit_notes', row);
  if (refund !== undefined) await markRefundSucceeded(tx, refund.id, at);
  const changes = [
    { field: 'credit_note', old: null, new: creditNoteNumber(row) },
    { field: 'amount', old: null, new: row.amount },
    { field: 'refund_id', old: null, new: row.refund_id },
  ];
  const entry = { event: 'INVOICE.REFUNDED', resourceType: 'invoice', resourceId: invoiceId, changes, at };
  await recordPlatformAudit(tx, systemActor, entry);
  return row;
}

/** Other software may set any reference at the provider, so it counts only as the id of a refund of this invoice. */
async function findRefundOf(
  tx: PlatformTransaction,
  invoiceId: string,
  { reference }: ProviderCreditNote,
): Promise<RefundsTable | undefined> {
  if (reference === null || !isUuid(reference)) return undefined;
  const refund = await findRefund(tx, reference);
  return refund?.invoice_id === invoiceId ? refund : undefined;
}

/** A refund that an admin requests. Without an amount, the whole remaining payment is refunded. */
export interface RefundRequest {
  /** The id of the refund. A request with the id of a stored refund returns that refund. */
  readonly id: string;
  readonly amount: number | undefined;
  readonly reason: string;
}

/**
 * Reserves the amount of a refund in the caller's transaction, which has locked the tenant: the credit notes and the
 * pending refunds never exceed what was paid. Throws 409 `INVOICE.TRANSITION_INVALID` for an invoice with nothing left
 * to refund, and 422 for an amount above the remaining payment.
 */
export async function reserveRefund(
  tx: PlatformTransaction,
  invoice: InvoicesTable,
  { id, amount, reason }: RefundRequest,
  actor: Actor,
  at: Timestamp,
): Promise<RefundsTable> {
  const known = await findRefund(tx, id);
  if (known !== undefined) return known;
  if (invoice.status !== 'paid') {
    throw new AppError(
      'INVOICE.TRANSITION_INVALID',
      `The invoice is ${invoice.status}. Only a paid one is refunded. List the paid invoices.`,
    );
  }
  const left = invoice.amount_paid - invoice.amount_refunded - (await sumPendingRefunds(tx, invoice.id));
  if (amount !== undefined && amount > left) {
    const most = formatMoney(Math.max(0, left), invoice.currency);
    throw validationError({ field: 'amount', message: `Enter at most ${Math.max(0, left)}, because ${most} is left.` });
  }
  if (left <= 0) {
    throw new AppError(
      'INVOICE.TRANSITION_INVALID',
      'Nothing of the payment is left: it was refunded in full. Read its credit notes.',
    );
  }
  const refund: RefundsTable = {
    id,
    invoice_id: invoice.id,
    amount: amount ?? left,
    reason,
    status: 'pending',
    failure: null,
    admin_id: actor.id ?? '',
    created_at: at,
    updated_at: at,
  };
  await insertRow(tx, 'refunds', refund);
  const changes = [
    { field: 'refund_id', old: null, new: id },
    { field: 'amount', old: null, new: refund.amount },
    { field: 'reason', old: null, new: reason },
  ];
  await recordPlatformAudit(tx, actor, { ...auditOf(refund, 'INVOICE.REFUND_REQUESTED'), changes, at });
  return refund;
}

interface MadeRefund {
  readonly refund: RefundsTable;
  readonly note: ProviderCreditNote;
  readonly parties: InvoiceParties;
  readonly at: Timestamp;
}

/**
 * Stores the credit note of a refund that the provider made, completes the refund and enqueues the mail about it, in
 * the caller's transaction, which has locked the tenant. Has no effect when a sync has stored it. Returns the credit
 * note.
 */
export async function storeRefund(
  services: MailServices,
  tx: PlatformTransaction,
  { refund, note, parties, at }: MadeRefund,
): Promise<CreditNotesTable> {
  const invoice = await requireInvoiceRow(tx, refund.invoice_id);
  // The provider may not repeat the reference.
  const own = { ...note, reference: refund.id };
  for (const stored of await storeCreditNotes(tx, invoice, [own], at)) {
    await enqueueCreditNoteMail(services, tx, {
      invoice: await requireInvoiceRow(tx, invoice.id),
      note: stored,
      parties,
    });
  }
  await markRefundSucceeded(tx, refund.id, at);
  return await findCreditNoteByProvider(tx, invoice.provider, note.id);
}

/** Stores that the provider refused a refund, which frees its amount. Has no effect once its outcome is stored. */
export async function failRefund(
  tx: PlatformTransaction,
  refund: RefundsTable,
  failure: string,
  at: Timestamp,
): Promise<void> {
  if (!(await markRefundFailed(tx, refund.id, failure, at))) return;
  const changes = [
    { field: 'refund_id', old: null, new: refund.id },
    { field: 'failure', old: null, new: failure },
  ];
  await recordPlatformAudit(tx, systemActor, { ...auditOf(refund, 'INVOICE.REFUND_FAILED'), changes, at });
}

function auditOf({ invoice_id }: RefundsTable, event: string) {
  return { event, resourceType: 'invoice', resourceId: invoice_id };
}

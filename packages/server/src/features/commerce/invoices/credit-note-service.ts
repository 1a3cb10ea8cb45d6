import type { PlatformTransaction } from '../../../db/database.ts';
import type { CreditNotesTable, InvoicesTable, RefundsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { isUuid, newId } from '../../../lib/ids.ts';
import type { ProviderCreditNote } from '../../../payments/provider.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { creditNoteNumber } from './credit-note.ts';
import {
  findStoredCreditNotes,
  insertCreditNote,
  markRefundSucceeded,
  takeCreditNoteNumber,
  writeAmountRefunded,
} from './credit-note-queries.ts';
import { findRefundRow } from './queries.ts';

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
  await insertCreditNote(tx, row);
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
  const refund = await findRefundRow(tx, reference);
  return refund?.invoice_id === invoiceId ? refund : undefined;
}

import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Returns the stored invoices by their ids at the provider. */
export async function findInvoicesByProvider(
  tx: PlatformDb['query'] | PlatformTransaction,
  provider: InvoicesTable['provider'],
  providerIds: readonly string[],
): Promise<ReadonlyMap<string, InvoicesTable>> {
  if (providerIds.length === 0) return new Map();
  const invoices = tx
    .selectFrom('invoices')
    .selectAll()
    .where('provider', '=', provider)
    .where('provider_invoice_id', 'in', providerIds);
  return new Map((await invoices.execute()).map((row) => [row.provider_invoice_id, row]));
}

/** Inserts an invoice that the provider reports for the first time. */
export async function insertInvoice(tx: PlatformTransaction, row: InvoicesTable): Promise<void> {
  await tx.insertInto('invoices').values(row).execute();
}

/** Replaces a draft, or finalizes it. Never changes an invoice that is finalized already. */
export async function replaceDraft(tx: PlatformTransaction, row: InvoicesTable): Promise<void> {
  await tx.updateTable('invoices').set(row).where('id', '=', row.id).where('number', 'is', null).execute();
}

/** The columns of a finalized invoice that may change. */
export type InvoicePayment = Pick<
  InvoicesTable,
  | 'status'
  | 'amount_due'
  | 'amount_paid'
  | 'attempt_count'
  | 'next_attempt_at'
  | 'due_at'
  | 'paid_at'
  | 'payment_url'
  | 'updated_at'
>;

/** Stores the payment state of an invoice; all other fields of a finalized invoice are immutable. */
export async function updateInvoicePayment(
  tx: PlatformTransaction,
  id: string,
  payment: InvoicePayment,
): Promise<void> {
  await tx.updateTable('invoices').set(payment).where('id', '=', id).execute();
}

/** Stores when a single invoice was last read from the provider. */
export async function writeSyncedAt(
  tx: PlatformTransaction,
  provider: InvoicesTable['provider'],
  providerId: string,
  at: Timestamp,
): Promise<void> {
  const invoice = tx.updateTable('invoices').set({ synced_at: at }).where('provider', '=', provider);
  await invoice.where('provider_invoice_id', '=', providerId).execute();
}

/** Marks the receipt of an invoice as queued. Returns false when it was marked before. */
export async function markReceipted(tx: PlatformTransaction, id: string, at: Timestamp): Promise<boolean> {
  const invoice = tx.updateTable('invoices').set({ receipted_at: at }).where('id', '=', id);
  return (await invoice.where('receipted_at', 'is', null).executeTakeFirst()).numUpdatedRows > 0n;
}

/** Stores that an invoice was sent or that its customer was reminded. */
export async function markMailed(
  tx: PlatformTransaction,
  id: string,
  column: 'sent_at' | 'reminded_at',
  at: Timestamp,
): Promise<void> {
  await tx
    .updateTable('invoices')
    .set({ [column]: at, updated_at: at })
    .where('id', '=', id)
    .execute();
}

/** Deletes the draft of a single invoice. Has no effect on an invoice that is finalized. */
export async function deleteDraftRow(tx: PlatformTransaction, id: string): Promise<void> {
  const draft = tx.deleteFrom('invoices').where('id', '=', id).where('subscription_id', 'is', null);
  await draft.where('number', 'is', null).execute();
}

/** Deletes the drafts of a subscription that the provider no longer lists. */
export async function deleteLostDrafts(
  tx: PlatformTransaction,
  subscriptionId: string,
  keptProviderIds: readonly string[],
): Promise<void> {
  let lost = tx
    .deleteFrom('invoices')
    .where('subscription_id', '=', subscriptionId)
    .where('status', '=', 'draft')
    .where('number', 'is', null);
  if (keptProviderIds.length > 0) lost = lost.where('provider_invoice_id', 'not in', keptProviderIds);
  await lost.execute();
}

/** Returns the next invoice number of a tenant. The caller must have locked the tenant's row. */
export async function takeInvoiceNumber(tx: PlatformTransaction, tenantId: string): Promise<number> {
  const { last_number } = await tx
    .insertInto('invoice_numbers')
    .values({ tenant_id: tenantId, last_number: 1 })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet({ last_number: sql<number>`invoice_numbers.last_number + 1` }),
    )
    .returning('last_number')
    .executeTakeFirstOrThrow();
  return last_number;
}

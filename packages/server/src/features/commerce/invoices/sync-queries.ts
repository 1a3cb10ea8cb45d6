import { sql } from 'kysely';
import type { PlatformTransaction } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';

/** Returns the stored invoices by their ids at the provider. */
export async function findInvoicesByProvider(
  tx: PlatformTransaction,
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

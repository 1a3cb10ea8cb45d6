import { sql } from 'kysely';
import type { PlatformTransaction } from '../../../db/database.ts';
import type { CreditNotesTable, RefundsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Returns the ids at the provider of those credit notes that are stored already. */
export async function findStoredCreditNotes(
  tx: PlatformTransaction,
  provider: CreditNotesTable['provider'],
  providerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (providerIds.length === 0) return new Set();
  const stored = tx
    .selectFrom('credit_notes')
    .select('provider_credit_note_id')
    .where('provider', '=', provider)
    .where('provider_credit_note_id', 'in', providerIds);
  return new Set((await stored.execute()).map((row) => row.provider_credit_note_id));
}

/** Inserts a credit note. */
export async function insertCreditNote(tx: PlatformTransaction, row: CreditNotesTable): Promise<void> {
  await tx.insertInto('credit_notes').values(row).execute();
}

/** Returns the next credit note number of a tenant. The caller must have locked the tenant's row. */
export async function takeCreditNoteNumber(tx: PlatformTransaction, tenantId: string): Promise<number> {
  const { last_number } = await tx
    .insertInto('credit_note_numbers')
    .values({ tenant_id: tenantId, last_number: 1 })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet({ last_number: sql<number>`credit_note_numbers.last_number + 1` }),
    )
    .returning('last_number')
    .executeTakeFirstOrThrow();
  return last_number;
}

/** Stores the sum of an invoice's credit notes with the invoice, and returns it. */
export async function writeAmountRefunded(tx: PlatformTransaction, invoiceId: string, at: Timestamp): Promise<number> {
  const sum = tx
    .selectFrom('credit_notes')
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as('amount'))
    .where('invoice_id', '=', invoiceId);
  const amount = Number((await sum.executeTakeFirstOrThrow()).amount);
  await tx
    .updateTable('invoices')
    .set({ amount_refunded: amount, updated_at: at })
    .where('id', '=', invoiceId)
    .execute();
  return amount;
}

/** Inserts a refund that was requested. */
export async function insertRefund(tx: PlatformTransaction, row: RefundsTable): Promise<void> {
  await tx.insertInto('refunds').values(row).execute();
}

/** Returns the sum of an invoice's refunds whose outcome is not stored yet, in minor units. */
export async function sumPendingRefunds(tx: PlatformTransaction, invoiceId: string): Promise<number> {
  const sum = tx
    .selectFrom('refunds')
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as('amount'))
    .where('invoice_id', '=', invoiceId)
    .where('status', '=', 'pending');
  return Number((await sum.executeTakeFirstOrThrow()).amount);
}

/** Stores that the provider made a refund, whatever was stored about it before. */
export async function markRefundSucceeded(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  const succeeded = { status: 'succeeded', failure: null, updated_at: at } as const;
  await tx.updateTable('refunds').set(succeeded).where('id', '=', id).execute();
}

/** Stores that the provider refused a pending refund. Returns false when it is no longer pending. */
export async function markRefundFailed(
  tx: PlatformTransaction,
  id: string,
  failure: string,
  at: Timestamp,
): Promise<boolean> {
  const failed = { status: 'failed', failure, updated_at: at } as const;
  const refund = tx.updateTable('refunds').set(failed).where('id', '=', id).where('status', '=', 'pending');
  return (await refund.executeTakeFirst()).numUpdatedRows > 0n;
}

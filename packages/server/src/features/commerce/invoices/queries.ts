import { type SqlBool, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { CreditNotesTable, InvoicesTable, RefundsTable } from '../../../db/tables/platform/billing.ts';
import { paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { NamedInvoice } from './invoice.ts';
import type { AdminInvoicesQuery, InvoicesQuery } from './schemas.ts';

/** Which single invoices are due for a sync. */
export interface StaleInvoices {
  readonly provider: InvoicesTable['provider'];
  readonly before: Timestamp;
  readonly paidSince: Timestamp;
}

type Reader = PlatformDb['query'] | PlatformTransaction;

/** Returns the credit notes of invoices, in the order of their numbers. */
async function listCreditNotes(db: Reader, invoiceIds: readonly string[]): Promise<CreditNotesTable[]> {
  if (invoiceIds.length === 0) return [];
  const notes = await db.selectFrom('credit_notes').selectAll().where('invoice_id', 'in', invoiceIds).execute();
  // Sorted here, because no index has the credit notes of several invoices in this order.
  return notes.toSorted((one, other) => one.number - other.number);
}

async function withCreditNotes<Row extends InvoicesTable>({ query }: PlatformDb, rows: readonly Row[]) {
  const notes = await listCreditNotes(
    query,
    rows.filter((row) => row.amount_refunded > 0).map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, credit_notes: notes.filter(({ invoice_id }) => invoice_id === row.id) }));
}

/** Selects invoices with the names of their tenants. */
function selectNamed({ query }: PlatformDb) {
  return query
    .selectFrom('invoices')
    .selectAll('invoices')
    .select((eb) =>
      eb
        .selectFrom('tenants')
        .select('name')
        .whereRef('tenants.id', '=', 'invoices.tenant_id')
        .$asScalar()
        .$notNull()
        .as('tenant_name'),
    );
}

/** Leaves out the drafts that an admin is still writing. Owners see an invoice once it is final. */
const isVisibleToOwners = sql<SqlBool>`(status <> 'draft' or subscription_id is not null)`;

/** Returns one page of the invoices, with one row more than the page when there are more. */
export async function listInvoices(platform: PlatformDb, filters: AdminInvoicesQuery): Promise<NamedInvoice[]> {
  return await pageOf(platform, selectNamed(platform), filters);
}

/** Returns one page of the invoices of a tenant that its owners see, like `listInvoices`. */
export async function listOwnerInvoices(
  platform: PlatformDb,
  tenantId: string,
  filters: InvoicesQuery,
): Promise<NamedInvoice[]> {
  return await pageOf(platform, selectNamed(platform).where(isVisibleToOwners), { ...filters, tenant_id: tenantId });
}

async function pageOf(
  platform: PlatformDb,
  named: ReturnType<typeof selectNamed>,
  filters: AdminInvoicesQuery,
): Promise<NamedInvoice[]> {
  let invoices = named;
  if (filters.tenant_id !== undefined) invoices = invoices.where('tenant_id', '=', filters.tenant_id);
  if (filters.status !== undefined) invoices = invoices.where('status', '=', filters.status);
  return await withCreditNotes(platform, await paginate(invoices, filters).execute());
}

/** Returns an invoice by its id; with a tenant's id only an invoice that the owners of that tenant see. */
export async function findInvoice(
  platform: PlatformDb,
  id: string,
  tenantId?: string,
): Promise<NamedInvoice | undefined> {
  const named = selectNamed(platform).where('id', '=', id);
  const ofTenant = tenantId === undefined ? named : named.where('tenant_id', '=', tenantId).where(isVisibleToOwners);
  const row = await ofTenant.executeTakeFirst();
  return row && (await withCreditNotes(platform, [row]))[0];
}

/**
 * Returns the open invoices of tenants with an amount to pay, oldest first. A tenant has few: a subscription gets one
 * per period until its provider gives up.
 */
export function listPayableInvoices({ query }: PlatformDb, tenantIds: readonly string[]): Promise<InvoicesTable[]> {
  return query
    .selectFrom('invoices')
    .selectAll()
    .where('tenant_id', 'in', tenantIds)
    .where('status', '=', 'open')
    .where('amount_due', '>', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Returns a refund by its id. */
export function findRefund(db: Reader, id: string): Promise<RefundsTable | undefined> {
  return db.selectFrom('refunds').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the stored credit note with the given id at the provider. Throws for an unknown id. */
export function findCreditNoteByProvider(
  db: Reader,
  provider: CreditNotesTable['provider'],
  providerId: string,
): Promise<CreditNotesTable> {
  const notes = db.selectFrom('credit_notes').selectAll().where('provider', '=', provider);
  return notes.where('provider_credit_note_id', '=', providerId).executeTakeFirstOrThrow();
}

/** Returns refunds that were requested before the given time without a stored outcome, the oldest first. */
export async function listPendingRefunds({ query }: PlatformDb, before: Timestamp, limit: number): Promise<string[]> {
  const pending = query
    .selectFrom('refunds')
    .select('id')
    // A literal, because SQLite does not compare a parameter with the condition of the index.
    .where(sql<SqlBool>`status = 'pending'`)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);
  return (await pending.execute()).map(({ id }) => id);
}

/**
 * Returns the ids at the provider of single invoices that were last synced before the given time and that may still
 * change, the oldest sync first. A paid one may be refunded, which `paidSince` limits.
 */
export async function listStaleSingleInvoices(
  { query }: PlatformDb,
  { provider, before, paidSince }: StaleInvoices,
  limit: number,
): Promise<string[]> {
  const stale = query
    .selectFrom('invoices')
    .select('provider_invoice_id')
    .where('synced_at', 'is not', null)
    .where('status', 'in', ['draft', 'open', 'paid'])
    .where((eb) => eb.or([eb('status', '!=', 'paid'), eb('paid_at', '>=', paidSince)]))
    // The expression keeps SQLite from using the index on the provider's ids, which would read and sort all its rows.
    .where(sql<InvoicesTable['provider']>`provider || ''`, '=', provider)
    .where('synced_at', '<', before)
    .orderBy('synced_at')
    .limit(limit);
  return (await stale.execute()).map(({ provider_invoice_id }) => provider_invoice_id);
}

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

/** Returns the sum of an invoice's refunds without a stored outcome, in minor units. */
export async function sumPendingRefunds(tx: PlatformTransaction, invoiceId: string): Promise<number> {
  const sum = tx
    .selectFrom('refunds')
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as('amount'))
    .where('invoice_id', '=', invoiceId)
    .where('status', '=', 'pending');
  return Number((await sum.executeTakeFirstOrThrow()).amount);
}

/** Marks a refund as made by the provider, in any stored state. */
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

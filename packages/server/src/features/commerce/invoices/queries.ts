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

/** Returns the stored row of an invoice; undefined for an unknown id. */
export function findInvoiceRow(db: Reader, id: string): Promise<InvoicesTable | undefined> {
  return db.selectFrom('invoices').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a refund by its id. */
export function findRefundRow(db: Reader, id: string): Promise<RefundsTable | undefined> {
  return db.selectFrom('refunds').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a credit note by its id. */
export function findCreditNote(db: Reader, id: string): Promise<CreditNotesTable | undefined> {
  return db.selectFrom('credit_notes').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the stored credit note with the given id at the provider. Throws when there is none. */
export function findCreditNoteByProvider(
  db: Reader,
  provider: CreditNotesTable['provider'],
  providerId: string,
): Promise<CreditNotesTable> {
  const notes = db.selectFrom('credit_notes').selectAll().where('provider', '=', provider);
  return notes.where('provider_credit_note_id', '=', providerId).executeTakeFirstOrThrow();
}

/** Returns refunds that were requested before the given time and whose outcome is not stored, the oldest first. */
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

import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import type { NamedInvoice } from './invoice.ts';
import { findInvoice, listPayableInvoices } from './queries.ts';

export { listPendingRefunds, listStaleSingleInvoices } from './queries.ts';

/**
 * Returns an invoice. With a tenant's id, returns only an invoice that the owners of that tenant may see. Throws 404
 * `RESOURCE.NOT_FOUND`.
 */
export async function requireInvoice(platform: PlatformDb, id: string, tenantId?: string): Promise<NamedInvoice> {
  const row = await findInvoice(platform, id, tenantId);
  if (row !== undefined) return row;
  throw notFound();
}

/** Returns the stored row of an invoice, also in a transaction. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function requireInvoiceRow(
  db: PlatformDb['query'] | PlatformTransaction,
  id: string,
): Promise<InvoicesTable> {
  const row = await findRow(db, 'invoices', id);
  if (row !== undefined) return row;
  throw notFound();
}

function notFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'No invoice has this id. List the invoices to find the id.');
}

/** Returns a credit note of an invoice. Throws 404 `RESOURCE.NOT_FOUND`. */
export function requireCreditNote({ credit_notes }: NamedInvoice, id: string): CreditNotesTable {
  const note = credit_notes.find((one) => one.id === id);
  if (note !== undefined) return note;
  throw new AppError('RESOURCE.NOT_FOUND', 'The invoice has no credit note with this id. Read the invoice to find it.');
}

/** Returns by tenant the oldest open invoice with an amount to pay. Tenants without one are missing. */
export async function findPayableInvoices(
  platform: PlatformDb,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, InvoicesTable>> {
  if (tenantIds.length === 0) return new Map();
  const newestFirst = (await listPayableInvoices(platform, tenantIds)).reverse();
  return new Map(newestFirst.map((row) => [row.tenant_id, row]));
}

/**
 * Returns the provider's page on which the oldest open invoice of a tenant is paid, as the provider last reported it;
 * null if the tenant has nothing to pay.
 */
export async function findPaymentUrl(platform: PlatformDb, tenantId: string): Promise<string | null> {
  return (await findPayableInvoices(platform, [tenantId])).get(tenantId)?.payment_url ?? null;
}

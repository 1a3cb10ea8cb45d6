import type { PlatformDb } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import type { NamedInvoice } from './invoice.ts';
import { findInvoice, listPayableInvoices } from './queries.ts';

/** Returns an invoice; with a tenant's id only an invoice of that tenant. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function requireInvoice(platform: PlatformDb, id: string, tenantId?: string): Promise<NamedInvoice> {
  const row = await findInvoice(platform, id, tenantId);
  if (row !== undefined) return row;
  throw new AppError('RESOURCE.NOT_FOUND', 'No invoice has this id. List the invoices to find the id.');
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

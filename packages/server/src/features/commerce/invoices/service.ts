import type { PlatformDb } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { findInvoice } from './queries.ts';

/** Returns an invoice; with a tenant's id only an invoice of that tenant. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function requireInvoice(platform: PlatformDb, id: string, tenantId?: string): Promise<InvoicesTable> {
  const row = await findInvoice(platform, id, tenantId);
  if (row !== undefined) return row;
  throw new AppError('RESOURCE.NOT_FOUND', 'No invoice has this id. List the invoices to find the id.');
}

import type { PlatformDb } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { findInvoice } from './queries.ts';

/** An invoice; with a tenant's id only one of that tenant. Throws 404 for any other. */
export async function requireInvoice(platform: PlatformDb, id: string, tenantId?: string): Promise<InvoicesTable> {
  const row = await findInvoice(platform, id, tenantId);
  if (row !== undefined) return row;
  throw new AppError('RESOURCE.NOT_FOUND', 'There is no such invoice. List the invoices to find its id.');
}

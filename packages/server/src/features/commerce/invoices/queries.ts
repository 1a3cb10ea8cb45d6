import type { PlatformDb } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import { paginate } from '../../../http/cursor.ts';
import type { NamedInvoice } from './invoice.ts';
import type { AdminInvoicesQuery } from './schemas.ts';

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

/** Returns one page of the invoices, with one row more than the page when there are more. */
export function listInvoices(platform: PlatformDb, filters: AdminInvoicesQuery): Promise<NamedInvoice[]> {
  let invoices = selectNamed(platform);
  if (filters.tenant_id !== undefined) invoices = invoices.where('tenant_id', '=', filters.tenant_id);
  if (filters.status !== undefined) invoices = invoices.where('status', '=', filters.status);
  return paginate(invoices, filters).execute();
}

/** Returns an invoice by its id; with a tenant's id only an invoice of that tenant. */
export function findInvoice(platform: PlatformDb, id: string, tenantId?: string): Promise<NamedInvoice | undefined> {
  const invoice = selectNamed(platform).where('id', '=', id);
  return (tenantId === undefined ? invoice : invoice.where('tenant_id', '=', tenantId)).executeTakeFirst();
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

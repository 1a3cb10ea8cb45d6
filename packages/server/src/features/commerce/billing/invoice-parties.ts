import type { PlatformTransaction } from '../../../db/database.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { CustomerDetails } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { InvoiceParties } from '../invoices/parties.ts';
import { defaultDetails } from './details.ts';
import { findCustomer } from './sync-queries.ts';

/**
 * Returns the customer and the seller of invoices that are finalized now. Mails about invoices go to the billing
 * address, or to the owners of a tenant that has set none.
 */
export async function findInvoiceParties(
  { config }: Pick<Services, 'config'>,
  tx: PlatformTransaction,
  tenant: Pick<TenantsTable, 'id' | 'name'>,
  owners: readonly string[],
): Promise<InvoiceParties> {
  const stored = (await findCustomer(tx, tenant.id))?.details_json ?? null;
  const details: CustomerDetails = stored === null ? defaultDetails(tenant.name, owners) : JSON.parse(stored);
  return {
    customerJson: JSON.stringify(details),
    sellerJson: JSON.stringify(config.seller),
    tenantName: tenant.name,
    recipients: stored === null || details.email === '' ? owners : [details.email],
  };
}

import type { PlatformTransaction } from '../../../db/database.ts';
import type { BillingCustomersTable } from '../../../db/tables/platform/billing.ts';
import { insertCustomer } from './sync-queries.ts';

/**
 * Registers a new tenant as a customer of the payment provider, in the caller's transaction. Has no effect for a tenant
 * that is registered already.
 */
export async function registerCustomer(
  tx: PlatformTransaction,
  customer: Pick<BillingCustomersTable, 'tenant_id' | 'provider' | 'provider_customer_id' | 'created_at'>,
): Promise<void> {
  await insertCustomer(tx, { ...customer, details_json: null, updated_at: customer.created_at });
}

import type { PlatformTransaction } from '../../../db/database.ts';
import type { BillingCustomersTable } from '../../../db/tables/platform/billing.ts';
import type { PaymentProvider } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { TenantRecord } from '../../../tenancy/tenant-record.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { lockBilledTenant } from '../../accounts/tenants/billing-service.ts';
import { defaultDetails } from './details.ts';
import { findCustomer, insertCustomer, writeCustomer } from './sync-queries.ts';

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

/**
 * Returns the customer of a tenant at the payment provider, and creates it for a tenant that never bought a plan. The
 * provider creates one customer per tenant, however many calls are concurrent. Throws `PaymentProviderError`.
 */
export async function ensureCustomer(
  { platform, clock }: Pick<Services, 'platform' | 'clock'>,
  payments: PaymentProvider,
  tenant: Pick<TenantRecord, 'id' | 'name'>,
): Promise<string> {
  const provider = payments.name;
  const known = await findCustomer(platform.query, tenant.id);
  if (known?.provider === provider) return known.provider_customer_id;
  const owners = await listOwnerEmails(platform, tenant.id);
  const stored = known?.details_json ?? null;
  const details = stored === null ? defaultDetails(tenant.name, owners) : JSON.parse(stored);
  const id = await payments.createCustomer(tenant.id, details);
  return await platform.transaction(async (tx) => {
    await lockBilledTenant(tx, tenant.id);
    const current = await findCustomer(tx, tenant.id);
    // A checkout may have made another customer meanwhile, which has the subscription.
    if (current?.provider === provider) return current.provider_customer_id;
    const at = clock.now();
    const customer = { tenant_id: tenant.id, provider, provider_customer_id: id };
    await writeCustomer(tx, { ...customer, created_at: at, updated_at: at });
    return id;
  });
}

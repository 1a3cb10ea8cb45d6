import type { PlatformDb } from '../../../db/database.ts';
import type { PastDue } from '../../accounts/tenants/tenant-billing.ts';
import { findPayableInvoices } from '../invoices/service.ts';
import { listPastDueSubscriptions } from './sync-queries.ts';

/**
 * Returns by tenant what is overdue and where it is paid, from the stored copies of subscriptions and invoices. Tenants
 * that owe nothing are missing.
 */
export async function findPastDue(
  platform: PlatformDb,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, PastDue>> {
  const subscriptions = await listPastDueSubscriptions(platform, tenantIds);
  const invoices = await findPayableInvoices(
    platform,
    subscriptions.map(({ tenant_id }) => tenant_id),
  );
  return new Map(
    subscriptions.map(({ tenant_id, status, past_due_since, grace_ends_at }) => {
      const invoice = invoices.get(tenant_id);
      const pastDue = {
        subscription_status: status,
        since: past_due_since,
        grace_ends_at,
        amount_due: invoice?.amount_due ?? null,
        currency: invoice?.currency ?? null,
        due_at: invoice?.due_at ?? null,
        payment_url: invoice?.payment_url ?? null,
      };
      return [tenant_id, pastDue];
    }),
  );
}

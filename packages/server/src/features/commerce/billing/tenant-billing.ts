import type { PlatformDb } from '../../../db/database.ts';
import { AppError } from '../../../lib/error.ts';
import type { PastDue, TenantBilling } from '../../accounts/tenants/tenant.ts';
import { findPayableInvoices } from '../invoices/service.ts';
import { findCurrentSubscription, listPastDueSubscriptions } from './queries.ts';

/**
 * Returns the overdue payment of each tenant and the URL to pay it, from the stored subscriptions and invoices. Tenants
 * without one are absent.
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

/** What billing tells the feature `tenants`. */
export const tenantBilling: TenantBilling = {
  findPastDue,
  async assertPlanIsFreeToChange(tx, tenantId) {
    const current = await findCurrentSubscription(tx, tenantId);
    if (current === undefined) return;
    throw new AppError(
      'BILLING.MANAGED_BY_SUBSCRIPTION',
      `A subscription (${current.status}) determines the plan of this tenant. Change the plan of the subscription, or ` +
        'cancel it and change the plan when it has ended.',
    );
  },
};

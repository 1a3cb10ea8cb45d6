import { newId } from '../../src/lib/ids.ts';
import type { Account, TestTenant } from '../support/accounts.ts';
import type { TestApp } from '../support/harness.ts';

/** One thing of every kind that billing knows, where nothing can be bought. */
export interface BillingData {
  readonly catalogProductId: string;
  readonly planId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
}

/** Sells something through the API, and writes what was bought of it as the copies of a provider's objects stand. */
export async function createBillingData(app: TestApp, admin: Account, tenant: TestTenant): Promise<BillingData> {
  const make = async (path: string, payload: object) => {
    const url = `/api/v1/admin/catalog${path}`;
    const answer = await app.request({ method: 'POST', url, headers: admin.auth, payload });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.data.id as string;
  };
  const { query } = app.services.platform;
  const at = app.services.clock.now();
  const provider = 'sandbox' as const;
  const stamps = { created_at: at, updated_at: at };
  const subscription = { id: newId(), tenant_id: tenant.id, provider, provider_subscription_id: newId() };
  await query
    .insertInto('subscriptions')
    .values({
      ...{ ...subscription, status: 'active', plan_code: 'free', interval: 'month', currency: 'usd', amount: 2900 },
      ...{ current_period_starts_at: at, current_period_ends_at: at, cancel_at_period_end: 0, ...stamps },
    })
    .execute();
  const invoice = { id: newId(), tenant_id: tenant.id, provider, provider_invoice_id: newId(), number: 1 };
  await query
    .insertInto('invoices')
    .values({
      ...{ ...invoice, subscription_id: subscription.id, status: 'open', currency: 'usd', lines_json: '[]' },
      ...{ subtotal: 2900, tax: 0, total: 2900, amount_due: 2900, amount_paid: 0, attempt_count: 1 },
      ...{ finalized_at: at, ...stamps },
    })
    .execute();
  return {
    catalogProductId: await make('/products', { code: newId(), name: 'Editor' }),
    planId: await make('/plans', { code: newId(), name: 'Pro' }),
    subscriptionId: subscription.id,
    invoiceId: invoice.id,
  };
}

import { newId } from '../../src/lib/ids.ts';
import type { Account, TestTenant } from '../support/accounts.ts';
import type { TestApp } from '../support/harness.ts';
import { createSubscriber, monthlyAndYearly, offerPlan } from './buyers.ts';

/** Things of every kind that billing knows. */
export interface BillingData {
  readonly catalogProductId: readonly string[];
  readonly planId: readonly string[];
  /** Of plans that can be bought, the one that was bought among them. */
  readonly planCodes: readonly string[];
  /** Bought a plan and paid for it. */
  readonly tenant: TestTenant;
  readonly subscriptionId: readonly string[];
  /** One that is paid, and one that is open and that the provider does not know. */
  readonly invoiceId: readonly string[];
}

/** Sells something through the API. The service needs the sandbox. */
export async function createBillingData(app: TestApp, admin: Account): Promise<BillingData> {
  const make = async (path: string, payload: object) => {
    const url = `/api/v1/admin/catalog${path}`;
    const answer = await app.request({ method: 'POST', url, headers: admin.auth, payload });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.data.id as string;
  };
  const bought = await offerPlan(app, admin, monthlyAndYearly(4900));
  const offers = [
    await offerPlan(app, admin, monthlyAndYearly(1900)),
    bought,
    await offerPlan(app, admin, monthlyAndYearly(9900)),
  ];
  const { tenant } = await createSubscriber(app, admin, bought);
  const { query } = app.services.platform;
  const ofTenant = (table: 'invoices' | 'subscriptions') =>
    query.selectFrom(table).select('id').where('tenant_id', '=', tenant.id).executeTakeFirstOrThrow();
  const subscription = await ofTenant('subscriptions');
  const paid = await ofTenant('invoices');
  return {
    catalogProductId: [await make('/products', { code: newId(), name: 'Editor' })],
    planId: [await make('/plans', { code: newId(), name: 'Pro' })],
    planCodes: offers.map(({ code }) => code),
    tenant,
    subscriptionId: [subscription.id],
    invoiceId: [paid.id, await insertOpenInvoice(app, tenant, subscription.id)],
  };
}

async function insertOpenInvoice(app: TestApp, tenant: TestTenant, subscriptionId: string): Promise<string> {
  const at = app.services.clock.now();
  const invoice = { id: newId(), tenant_id: tenant.id, subscription_id: subscriptionId, number: 1_000 };
  await app.services.platform.query
    .insertInto('invoices')
    .values({
      ...{ ...invoice, provider: 'sandbox', provider_invoice_id: newId(), status: 'open', currency: 'usd' },
      ...{ subtotal: 2900, tax: 0, total: 2900, amount_due: 2900, amount_paid: 0, attempt_count: 1 },
      ...{ lines_json: '[]', finalized_at: at, created_at: at, updated_at: at },
    })
    .execute();
  return invoice.id;
}

import type { SubscriptionsTable } from '../../src/db/tables/platform/billing.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Account, TestTenant } from '../support/accounts.ts';
import type { TestApp } from '../support/harness.ts';
import { createSubscriber, monthlyAndYearly, offerPlan } from './buyers.ts';

/** The ids of test data of every billing resource. */
export interface BillingData {
  readonly catalogProductId: readonly string[];
  readonly planId: readonly string[];
  readonly couponId: readonly string[];
  /** The codes of coupons that can be redeemed. */
  readonly couponCodes: readonly string[];
  /** The codes of plans with prices, including the bought plan. */
  readonly planCodes: readonly string[];
  /** A tenant that has bought and paid a plan. */
  readonly tenant: TestTenant;
  readonly subscriptionId: readonly string[];
  /** A paid invoice, and an open invoice that the provider does not have. */
  readonly invoiceId: readonly string[];
  /** A credit note of the paid invoice. */
  readonly creditNoteId: readonly string[];
}

/** Creates the data through the API. The service needs the sandbox. */
export async function createBillingData(app: TestApp, admin: Account): Promise<BillingData> {
  const make = async (path: string, payload: object) => {
    const url = `/api/v1/admin${path}`;
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
  const couponCodes = [newId(), newId()].map((id) => id.toUpperCase());
  const couponId: string[] = [];
  for (const code of couponCodes) {
    couponId.push(await make('/catalog/coupons', { code, percent_off: 20, duration: 'forever' }));
  }
  return {
    couponId: couponId.slice(0, 1),
    couponCodes: couponCodes.slice(1),
    catalogProductId: [await make('/catalog/products', { code: newId(), name: 'Editor' })],
    planId: [await make('/catalog/plans', { code: newId(), name: 'Pro' })],
    planCodes: offers.map(({ code }) => code),
    tenant,
    subscriptionId: [subscription.id],
    invoiceId: [paid.id, await insertOpenInvoice(app, tenant, subscription.id)],
    creditNoteId: [await make(`/invoices/${paid.id}/refund`, { amount: 100, reason: 'Outage' })],
  };
}

async function insertOpenInvoice(app: TestApp, tenant: TestTenant, subscriptionId: string): Promise<string> {
  const at = app.services.clock.now();
  const invoice = { id: newId(), tenant_id: tenant.id, subscription_id: subscriptionId, number: 1_000 };
  await app.services.platform.query
    .insertInto('invoices')
    .values({
      ...invoice,
      provider: 'sandbox',
      provider_invoice_id: newId(),
      status: 'open',
      currency: 'usd',
      subtotal: 2900,
      tax: 0,
      collection_method: 'charge',
      discount: 0,
      coupon_code: null,
      taxes_json: '[]',
      amount_refunded: 0,
      total: 2900,
      amount_due: 2900,
      amount_paid: 0,
      attempt_count: 1,
      lines_json: '[]',
      finalized_at: at,
      created_at: at,
      updated_at: at,
    })
    .execute();
  return invoice.id;
}

/** Inserts the row of an active subscription without a subscription at the provider, and returns its id. */
export async function insertSubscription(
  app: TestApp,
  tenantId: string,
  fields: Partial<SubscriptionsTable> = {},
): Promise<string> {
  const { clock, platform } = app.services;
  const at = clock.now();
  const row: SubscriptionsTable = {
    id: newId(),
    tenant_id: tenantId,
    provider: 'sandbox',
    provider_subscription_id: newId(),
    status: 'active',
    plan_code: 'free',
    interval: 'month',
    currency: 'eur',
    amount: 1000,
    current_period_starts_at: at,
    current_period_ends_at: at,
    trial_ends_at: null,
    has_payment_method: 1,
    coupon_code: null,
    discount_basis_points: null,
    discount_amount: null,
    discount_duration: null,
    discount_ends_at: null,
    cancel_at_period_end: 0,
    canceled_at: null,
    pending_plan_code: null,
    pending_interval: null,
    pending_amount: null,
    pending_at: null,
    past_due_since: null,
    grace_ends_at: null,
    next_check_at: null,
    synced_at: null,
    change_number: 0,
    ended_at: null,
    created_at: at,
    updated_at: at,
    ...fields,
  };
  await platform.query.insertInto('subscriptions').values(row).execute();
  return row.id;
}

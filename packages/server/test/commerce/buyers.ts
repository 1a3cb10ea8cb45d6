import { createTenantJobs } from '../../src/background.ts';
import { billingSyncKind } from '../../src/features/commerce/billing/enqueue.ts';
import { enqueueJob } from '../../src/jobs/queries.ts';
import { newId } from '../../src/lib/ids.ts';
import { card, type cardNumbers, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createTenant, type TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';

export interface Offer {
  readonly code: string;
  readonly id: string;
}

/** Puts a plan on offer, by the month and for ten months' money by the year. */
export async function offerPlan(app: TestApp, admin: Account, amount: number, currency = 'usd'): Promise<Offer> {
  const code = newId();
  const prices = [
    { interval: 'month', currency, amount },
    { interval: 'year', currency, amount: amount * 10 },
  ];
  const answer = await app.request({
    method: 'POST',
    url: '/api/v1/admin/catalog/plans',
    headers: admin.auth,
    payload: { code, name: `Plan for ${amount}`, prices },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return { code, id: answer.body.data.id };
}

/** A tenant whose owner pays. */
export interface Buyer {
  readonly tenant: TestTenant;
  /** Sends a request to the billing surface as the owner. */
  bill(method: 'GET' | 'PUT', path: string, payload?: object): Promise<Answer>;
  /** Pays an open checkout with a test card. */
  pay(checkoutUrl: string, with_?: keyof typeof cardNumbers): Promise<void>;
  /** The id of the subscription at the provider. */
  subscriptionId(): Promise<string>;
  /** Does what an event about the subscription makes the service do, and everything that is due. */
  settle(): Promise<void>;
  /** The tenant as operators see it. */
  read(): Promise<{ readonly status: string; readonly plan_code: string }>;
}

export async function createBuyer(app: TestApp, admin: Account): Promise<Buyer> {
  const tenant = await createTenant(app, admin);
  const { platform, clock } = app.services;
  const subscriptionId = async () => {
    const { payments } = sandboxOf(app);
    const checkout = await platform.query
      .selectFrom('billing_checkouts')
      .select('provider_checkout_id')
      .where('tenant_id', '=', tenant.id)
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
    const found = await payments.findCheckout(checkout?.provider_checkout_id ?? '');
    if (!found?.subscriptionId) throw new Error('Nothing was bought.');
    return found.subscriptionId;
  };
  const buyer: Buyer = {
    tenant,
    bill: (method, path, payload) =>
      app.request({
        method,
        url: `/api/v1/billing${path}`,
        headers: tenant.owner.auth,
        ...(payload && { payload }),
      }),
    async pay(checkoutUrl, with_ = 'good') {
      const id = /cs_\w+/.exec(checkoutUrl)?.[0] ?? '';
      await sandboxOf(app).sandbox.pay(id, card(with_));
    },
    subscriptionId,
    async settle() {
      const subjectId = await subscriptionId();
      const at = clock.now();
      await platform.transaction((tx) => enqueueJob(tx, { subjectId, kind: billingSyncKind, dueAt: at }, at));
      await createTenantJobs(app.services).runner.runDue();
    },
    async read() {
      const url = `/api/v1/admin/tenants/${tenant.id}`;
      return (await app.request({ method: 'GET', url, headers: admin.auth })).body.data;
    },
  };
  return buyer;
}

/** A buyer who has bought a plan already. */
export async function createSubscriber(
  app: TestApp,
  admin: Account,
  plan: Offer,
  with_: keyof typeof cardNumbers = 'good',
): Promise<Buyer> {
  const buyer = await createBuyer(app, admin);
  const change = await buyer.bill('PUT', '/plan', { plan_code: plan.code });
  if (change.status !== 200) throw new Error(change.text);
  await buyer.pay(change.body.data.checkout_url, with_);
  await buyer.settle();
  return buyer;
}

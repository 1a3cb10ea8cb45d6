import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enqueueBillingSync } from '../../src/features/commerce/billing/enqueue.ts';
import { addDays } from '../../src/lib/duration.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { card, dayMs, sandboxOf } from '../payments/sandbox-data.ts';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  joinTenant,
  type TestTenant,
} from '../support/accounts.ts';
import { type TestApp, useApp } from '../support/harness.ts';
import { addInvoice, payInvoice } from '../support/stripe/invoices.ts';
import { type StripeServer, startStripeServer, stripeSecretKey } from '../support/stripe/server.ts';
import { completeCheckout } from '../support/stripe/subscriptions.ts';
import { createSubscriber, monthlyAndYearly, offerPlan } from './buyers.ts';

/** A tenant with a subscription at a provider, and what happens at the provider. */
interface Subscriber {
  readonly tenant: TestTenant;
  /** The start of the URLs on which the provider's invoices are paid. */
  readonly paymentPages: string;
  /** The renewal of the subscription fails. */
  failPayment(): Promise<void>;
  /** The grace period ends without a payment. */
  endGrace(): Promise<void>;
  /** The open invoice is paid. */
  pay(): Promise<void>;
}

async function sync(app: TestApp, subscriptionId: string): Promise<void> {
  const { clock, platform } = app.services;
  await platform.transaction((tx) => enqueueBillingSync(tx, subscriptionId, clock.now()));
  await runTenantJobs(app);
}

async function subscribeInSandbox(app: TestApp, admin: Account): Promise<Subscriber> {
  const plan = await offerPlan(app, admin, monthlyAndYearly(3000));
  const buyer = await createSubscriber(app, admin, plan);
  const { payments, sandbox } = sandboxOf(app);
  const id = await buyer.subscriptionId();
  const advance = async (days: number) => {
    await sandbox.advanceClock({ byMs: days * dayMs });
    await sync(app, id);
  };
  const customerId = (await payments.findSubscription(id))?.customerId ?? '';
  return {
    tenant: buyer.tenant,
    paymentPages: `${app.config.publicUrl}/sandbox/invoices/`,
    async failPayment() {
      await sandbox.changeCard(customerId, card('failsLater'));
      await advance(32);
    },
    endGrace: () => advance(8),
    async pay() {
      await sandbox.changeCard(customerId, card('good'));
      const open = (await payments.listInvoices(id)).find(({ status }) => status === 'open');
      if (open !== undefined) await payments.retryInvoice(open.id);
      await sync(app, id);
    },
  };
}

async function subscribeAtStripe(app: TestApp, admin: Account, { account }: StripeServer): Promise<Subscriber> {
  const plan = await offerPlan(app, admin, monthlyAndYearly(3000));
  const tenant = await createTenant(app, admin);
  const chosen = await app.request({
    method: 'PUT',
    url: '/api/v1/billing/plan',
    headers: tenant.owner.auth,
    payload: { plan_code: plan.code },
  });
  expect(chosen.status).toBe(200);
  const { provider_checkout_id } = await app.services.platform.query
    .selectFrom('billing_checkouts')
    .select('provider_checkout_id')
    .where('tenant_id', '=', tenant.id)
    .executeTakeFirstOrThrow();
  const { id } = completeCheckout(account, provider_checkout_id ?? '');
  await sync(app, id);
  const subscription = account.get(id);
  let invoice: ReturnType<typeof addInvoice>;
  return {
    tenant,
    paymentPages: 'https://invoice.stripe.test/',
    async failPayment() {
      invoice = addInvoice(account, subscription, [3000], 'open');
      invoice.attempt_count = 1;
      subscription.status = 'past_due';
      await sync(app, id);
    },
    async endGrace() {
      subscription.status = 'unpaid';
      await sync(app, id);
    },
    async pay() {
      payInvoice(account, invoice);
      subscription.status = 'active';
      await sync(app, id);
    },
  };
}

let stripe: StripeServer;
const stripeEnv: NodeJS.ProcessEnv = {
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: stripeSecretKey,
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
};

beforeAll(async () => {
  stripe = await startStripeServer();
  stripeEnv['STRIPE_API_URL'] = stripe.url;
});
afterAll(() => stripe.close());

describe.each([
  { provider: 'the sandbox', env: { PAYMENT_PROVIDER: 'sandbox' }, subscribe: subscribeInSandbox },
  {
    provider: 'Stripe',
    env: stripeEnv,
    subscribe: (app: TestApp, admin: Account) => subscribeAtStripe(app, admin, stripe),
  },
])('a tenant whose payment at $provider fails', ({ provider, env, subscribe }) => {
  const suite = useApp(env);
  let admin: Account;
  let subscriber: Subscriber;
  let testTenantId: string;

  beforeAll(async () => {
    admin = await createAdmin(suite.app);
    subscriber = await subscribe(suite.app, admin);
  });

  const asAdmin = async (path: string) =>
    (await suite.app.request({ method: 'GET', url: `/api/v1/admin/tenants${path}`, headers: admin.auth })).body.data;
  const overviewOf = (headers: Account['auth']) =>
    suite.app.request({ method: 'GET', url: '/api/v1/billing/overview', headers });

  /** Returns the overdue payment as the admin reads and lists it. */
  async function shownToAdmin() {
    const { id } = subscriber.tenant;
    const read = await asAdmin(`/${id}`);
    const listed = (await asAdmin('?limit=100')).find((tenant: { id: string }) => tenant.id === id);
    expect(listed).toEqual(read);
    return read;
  }

  test(`with ${provider}, owners and admins see no overdue payment before`, async () => {
    expect((await shownToAdmin()).past_due).toBeNull();
    expect((await overviewOf(subscriber.tenant.owner.auth)).body.data.past_due).toBeNull();
  });

  test(`with ${provider}, owners and admins see what is due, until when, and where to pay`, async () => {
    await subscriber.failPayment();
    const { body } = await overviewOf(subscriber.tenant.owner.auth);
    const { past_due: pastDue, subscription } = body.data;
    expect(pastDue).toEqual({
      subscription_status: 'past_due',
      since: subscription.past_due_since,
      grace_ends_at: addDays(subscription.past_due_since, 7),
      amount_due: 3000,
      currency: 'usd',
      due_at: expect.any(String),
      payment_url: expect.stringContaining(subscriber.paymentPages),
    });
    expect(await shownToAdmin()).toMatchObject({ status: 'active', past_due: pastDue });
    const me = await suite.app.request({
      method: 'GET',
      url: '/api/v1/auth/me',
      headers: subscriber.tenant.owner.auth,
    });
    expect(me.body.data.tenants).toMatchObject([{ payment_due_at: pastDue.grace_ends_at }]);
    const invoices = await suite.app.request({
      method: 'GET',
      url: '/api/v1/billing/invoices?status=open',
      headers: subscriber.tenant.owner.auth,
    });
    expect(invoices.body.data[0].payment_url).toBe(pastDue.payment_url);
  });

  test(`with ${provider}, the test copy is suspended too, and only owners get the page to pay, without a call of the provider`, async () => {
    testTenantId = (await subscriber.tenant.asOwner('POST', '/test-tenant')).body.data.id;
    await subscriber.endGrace();
    expect(await asAdmin(`/${testTenantId}`)).toMatchObject({ status: 'suspended' });
    const read = await shownToAdmin();
    expect(read).toMatchObject({ status: 'suspended', past_due: { amount_due: 3000 } });
    const billing = async (path: string) =>
      (await suite.app.request({ method: 'GET', url: `/api/v1/admin/billing/${path}`, headers: admin.auth })).body.data;
    // The figures count what the list shows: a suspended tenant is unpaid, whatever its subscription says.
    expect((await billing('overview')).currencies).toMatchObject([{ currency: 'usd', past_due: 0, unpaid: 1 }]);
    expect(await billing('dunning')).toMatchObject([{ tenant_id: subscriber.tenant.id, tenant_status: 'suspended' }]);
    const { tenant } = subscriber;
    const { payments } = suite.app.services;
    Object.assign(suite.app.services, { payments: null });
    const detailsOf = async (path: string, headers: Account['auth']) => {
      const answer = await suite.app.request({ method: 'GET', url: `/api/v1${path}`, headers });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'TENANT.STATUS.SUSPENDED']);
      return answer.body.error.details;
    };
    const paths = ['/tenant/products', '/billing/overview', '/billing/invoices'];
    for (const path of paths) {
      const details = [{ field: 'payment_url', message: read.past_due.payment_url }];
      expect(await detailsOf(path, tenant.owner.auth)).toEqual(details);
    }
    for (const role of ['admin', 'viewer'] as const) {
      const member = await createUser(suite.app);
      await joinTenant(suite.app, member, tenant.id, role);
      for (const path of paths) expect(await detailsOf(path, member.auth)).toBeUndefined();
    }
    const ofKey = await tenant.asApplication('/licenses/UNKNOWN/validate');
    expect([ofKey.body.error.code, ofKey.body.error.details]).toEqual(['TENANT.STATUS.SUSPENDED', undefined]);
    Object.assign(suite.app.services, { payments });
  });

  test(`with ${provider}, an owner of a suspended tenant that owes nothing gets no page to pay`, async () => {
    const other = await createTenant(suite.app, admin);
    const url = `/api/v1/admin/tenants/${other.id}`;
    await suite.app.request({ method: 'PATCH', url, headers: admin.auth, payload: { status: 'suspended' } });
    const { error } = (await overviewOf(other.owner.auth)).body;
    expect([error.code, error.details]).toEqual(['TENANT.STATUS.SUSPENDED', undefined]);
  });

  test(`with ${provider}, a payment restores the tenant and its test copy, and nothing is overdue any more`, async () => {
    await subscriber.pay();
    expect(await shownToAdmin()).toMatchObject({ status: 'active', past_due: null });
    expect((await overviewOf(subscriber.tenant.owner.auth)).body.data.past_due).toBeNull();
    expect(await asAdmin(`/${testTenantId}`)).toMatchObject({ status: 'active' });
  });
});

import type { BillingInterval } from '../../src/db/tables/platform/billing.ts';
import { billingSyncKind, enqueueBillingSync } from '../../src/features/commerce/billing/enqueue.ts';
import { newId } from '../../src/lib/ids.ts';
import type { CheckoutInput } from '../../src/payments/sandbox/checkouts.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { card, type cardNumbers, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createTenant, createUser, type TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';

// Two kinds of buyers: an existing tenant that subscribes to a plan on the billing surface (`BillingTenant`), and a
// user who buys a plan to get a tenant (`SignUp`).

/** The limit only ends a test that hangs. */

type CardName = keyof typeof cardNumbers;

type PaymentInput = Partial<Omit<CheckoutInput, 'card'>>;

interface Price {
  readonly interval: BillingInterval;
  readonly currency: string;
  /** The amount in the currency's minor unit. */
  readonly amount: number;
  /** The days of the free trial. */
  readonly trial_days?: number;
}

export interface Offer {
  readonly code: string;
  readonly id: string;
}

export const monthlyPrice: Price = { interval: 'month', currency: 'eur', amount: 2900 };

/** Returns a monthly price and a yearly price of ten monthly ones. `amount` is in minor units. */
export function monthlyAndYearly(amount: number, currency = 'usd'): Price[] {
  return [
    { interval: 'month', currency, amount },
    { interval: 'year', currency, amount: amount * 10 },
  ];
}

/** Creates a plan with the given prices. */
export async function offerPlan(app: TestApp, admin: Account, prices: readonly Price[]): Promise<Offer> {
  const code = newId();
  const answer = await app.request({
    method: 'POST',
    url: '/api/v1/admin/catalog/plans',
    headers: admin.auth,
    payload: { code, name: 'Team', prices },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return { code, id: answer.body.data.id };
}

/** Pays a checkout at the provider with a test card, or starts its trial without one. */
async function payAtProvider(
  app: TestApp,
  providerCheckoutId: string,
  cardName: CardName | null,
  input: PaymentInput = {},
): Promise<void> {
  await sandboxOf(app).sandbox.pay(providerCheckoutId, cardName === null ? null : card(cardName), input);
}

/** A tenant and its owner, who manages the subscription on the billing surface. */
export interface BillingTenant {
  readonly tenant: TestTenant;
  /** Sends a request to the billing surface as the owner. */
  bill(method: 'GET' | 'PUT', path: string, payload?: object): Promise<Answer>;
  /** Pays an open checkout with a test card, `good` by default; null starts a trial without one. */
  pay(checkoutUrl: string, cardName?: CardName | null, input?: PaymentInput): Promise<void>;
  /** Returns the id of the subscription at the provider. */
  subscriptionId(): Promise<string>;
  /** Enqueues a sync of the subscription, as an event about it does, and runs every job that is due. */
  settle(): Promise<void>;
  /** Reads the tenant on the admin surface. */
  read(): Promise<{ readonly status: string; readonly plan_code: string }>;
}

/** Creates a tenant on the free plan. */
export async function createBillingTenant(app: TestApp, admin: Account): Promise<BillingTenant> {
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
    if (!found?.subscriptionId) throw new Error('The tenant has paid no checkout.');
    return found.subscriptionId;
  };
  return {
    tenant,
    bill: (method, path, payload) =>
      app.request({
        method,
        url: `/api/v1/billing${path}`,
        headers: tenant.owner.auth,
        ...(payload && { payload }),
      }),
    pay: (checkoutUrl, cardName = 'good', input = {}) =>
      payAtProvider(app, /cs_\w+/.exec(checkoutUrl)?.[0] ?? '', cardName, input),
    subscriptionId,
    async settle() {
      const id = await subscriptionId();
      await platform.transaction((tx) => enqueueBillingSync(tx, id, clock.now()));
      const running = platform.query.selectFrom('jobs').select('kind').where('subject_id', '=', id);
      // The app's own worker may have claimed the sync first.
      do await runTenantJobs(app);
      while ((await running.where('status', '=', 'running').executeTakeFirst()) !== undefined);
    },
    async read() {
      const url = `/api/v1/admin/tenants/${tenant.id}`;
      return (await app.request({ method: 'GET', url, headers: admin.auth })).body.data;
    },
  };
}

/** Creates a tenant that has paid for a plan by the month, or has begun its trial. */
export async function createSubscriber(
  app: TestApp,
  admin: Account,
  plan: Offer,
  payment: { readonly card?: CardName | null; readonly coupon?: string } = {},
): Promise<BillingTenant> {
  const subscriber = await createBillingTenant(app, admin);
  const change = await subscriber.bill('PUT', '/plan', { plan_code: plan.code });
  if (change.status !== 200) throw new Error(change.text);
  const { card: cardName = 'good', ...input } = payment;
  await subscriber.pay(change.body.data.checkout_url, cardName, input);
  await subscriber.settle();
  return subscriber;
}

/** A user who signs up for tenants on the onboarding surface. */
export interface SignUp {
  readonly user: Account;
  post(path: string, payload?: object): Promise<Answer>;
  get(path?: string): Promise<Answer>;
}

/** Returns the onboarding requests of a user: of a new one unless it is given. */
export async function createSignUp(app: TestApp, user?: Account): Promise<SignUp> {
  const account = user ?? (await createUser(app));
  const url = (path: string) => `/api/v1/onboarding${path}`;
  return {
    user: account,
    post: (path, payload) =>
      app.request({ method: 'POST', url: url(path), headers: account.auth, ...(payload && { payload }) }),
    get: (path = '') => app.request({ method: 'GET', url: url(path), headers: account.auth }),
  };
}

/** Starts a checkout and returns it. Throws when the service refuses it. */
export async function startSignUp(signUp: SignUp, planCode: string, fields: object = {}) {
  const answer = await signUp.post('/checkout', { plan: planCode, tenant_name: 'Acme', ...fields });
  if (answer.status !== 201) throw new Error(`The checkout was not started: ${answer.text}`);
  return answer.body.data;
}

/** Pays a sign-up's checkout at the provider with a test card. */
export async function paySignUp(app: TestApp, checkoutId: string, cardName: CardName = 'good'): Promise<void> {
  const row = await readSignUpRow(app, checkoutId);
  await payAtProvider(app, row.provider_checkout_id ?? '', cardName);
}

/** Reads a sign-up's checkout from the database. */
export function readSignUpRow(app: TestApp, checkoutId: string) {
  const { query } = app.services.platform;
  return query.selectFrom('onboarding_checkouts').selectAll().where('id', '=', checkoutId).executeTakeFirstOrThrow();
}

/** Counts the rows of the tenant that a sign-up's checkout provisions. */
export async function countSignUpRows(app: TestApp, checkoutId: string) {
  const { query } = app.services.platform;
  const { tenant_id, provider_subscription_id } = await readSignUpRow(app, checkoutId);
  const tenants = await query.selectFrom('tenants').selectAll().where('id', '=', tenant_id).execute();
  const countOfTenant = async (table: 'memberships' | 'billing_customers' | 'subscriptions') =>
    (await query.selectFrom(table).selectAll().where('tenant_id', '=', tenant_id).execute()).length;
  const syncs = query
    .selectFrom('jobs')
    .select('kind')
    .where('kind', '=', billingSyncKind)
    .where('subject_id', '=', provider_subscription_id ?? '');
  return {
    tenants: tenants.length,
    memberships: await countOfTenant('memberships'),
    customers: await countOfTenant('billing_customers'),
    // A subscription is synced from the provider already, or its sync is enqueued.
    subscriptions: (await countOfTenant('subscriptions')) || (await syncs.execute()).length,
  };
}

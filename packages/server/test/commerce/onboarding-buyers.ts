import { createTenantJobs } from '../../src/background.ts';
import type { BillingInterval } from '../../src/db/tables/platform/billing.ts';
import { newId } from '../../src/lib/ids.ts';
import { card, type cardNumbers, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createUser } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';

interface Price {
  readonly interval: BillingInterval;
  readonly currency: string;
  readonly amount: number;
}

export const monthly: Price = { interval: 'month', currency: 'eur', amount: 2900 };

/** Makes a plan. Answers its code. */
export async function addPlan(app: TestApp, prices: readonly Price[], limits: object = {}): Promise<string> {
  const { clock, platform } = app.services;
  const at = clock.now();
  const free = await platform.query
    .selectFrom('plans')
    .selectAll()
    .where('code', '=', 'free')
    .executeTakeFirstOrThrow();
  const limits_json = JSON.stringify({ ...JSON.parse(free.limits_json), ...limits });
  const plan = {
    ...free,
    id: newId(),
    code: `plan-${newId()}`,
    name: 'Team',
    limits_json,
    created_at: at,
    updated_at: at,
  };
  await platform.query.insertInto('plans').values(plan).execute();
  for (const price of prices) {
    const row = { id: newId(), plan_id: plan.id, ...price, created_at: at };
    await platform.query.insertInto('plan_prices').values(row).execute();
  }
  return plan.code;
}

/** Somebody who signs up for tenants. */
export interface Buyer {
  readonly user: Account;
  post(path: string, payload?: object): Promise<Answer>;
  get(path?: string): Promise<Answer>;
}

export async function newBuyer(app: TestApp, user?: Account): Promise<Buyer> {
  const account = user ?? (await createUser(app));
  const url = (path: string) => `/api/v1/onboarding${path}`;
  return {
    user: account,
    post: (path, payload) =>
      app.request({ method: 'POST', url: url(path), headers: account.auth, ...(payload && { payload }) }),
    get: (path = '') => app.request({ method: 'GET', url: url(path), headers: account.auth }),
  };
}

/** Begins a checkout that must begin. */
export async function begin(buyer: Buyer, plan: string, fields: object = {}) {
  const answer = await buyer.post('/checkout', { plan, tenant_name: 'Acme', ...fields });
  if (answer.status !== 201) throw new Error(`No checkout was begun: ${answer.text}`);
  return answer.body.data;
}

/** Pays on the provider's side. */
export async function pay(app: TestApp, id: string, name: keyof typeof cardNumbers = 'good'): Promise<void> {
  const row = await rowOf(app, id);
  await sandboxOf(app).sandbox.pay(row.provider_checkout_id ?? '', card(name));
}

export function rowOf(app: TestApp, id: string) {
  const { query } = app.services.platform;
  return query.selectFrom('onboarding_checkouts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Runs the background work that is due. */
export function work(app: TestApp): Promise<void> {
  return createTenantJobs(app.services).runner.runDue();
}

/** What there is of a checkout's tenant: all of it, or nothing. */
export async function madeOf(app: TestApp, id: string) {
  const { query } = app.services.platform;
  const { tenant_id, provider_subscription_id } = await rowOf(app, id);
  const tenants = await query.selectFrom('tenants').selectAll().where('id', '=', tenant_id).execute();
  const ofTenant = async (table: 'memberships' | 'billing_customers' | 'subscriptions') =>
    (await query.selectFrom(table).selectAll().where('tenant_id', '=', tenant_id).execute()).length;
  // Copied from the provider, or about to be.
  const syncs = query
    .selectFrom('jobs')
    .select('kind')
    .where('kind', '=', 'billing-sync')
    .where('subject_id', '=', provider_subscription_id ?? '');
  return {
    tenants: tenants.length,
    memberships: await ofTenant('memberships'),
    customers: await ofTenant('billing_customers'),
    subscriptions: (await ofTenant('subscriptions')) || (await syncs.execute()).length,
  };
}

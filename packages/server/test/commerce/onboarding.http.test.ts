import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PaymentProviderError } from '../../src/payments/provider.ts';
import { disableUser } from '../accounts/members.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { sandboxOf } from '../payments/sandbox-data.ts';
import { createAdmin, createUser, type TestTenant } from '../support/accounts.ts';
import { type Answer, useApp, useClock } from '../support/harness.ts';
import { badFields, newLicense } from '../support/licensing-catalog.ts';
import { mailsTo } from '../support/mails.ts';
import {
  countSignUpRows,
  createSignUp,
  monthlyPrice,
  offerPlan,
  paySignUp,
  readSignUpRow,
  type SignUp,
  startSignUp,
} from './buyers.ts';

const clock = useClock(new Date().toISOString());
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
let plan: string;
let signUp: SignUp;

beforeAll(async () => {
  plan = (await offerPlan(suite.app, await createAdmin(suite.app), [monthlyPrice])).code;
});

beforeAll(async () => {
  signUp = await createSignUp(suite.app);
});

const outcomeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? 'ok'}`;
const statusOf = async (id: string, of = signUp) => (await of.get(`/${id}`)).body.data.status;
const times = <Result>(count: number, one: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const whole = { tenants: 1, memberships: 1, customers: 1, subscriptions: 1 };
const nothing = { tenants: 0, memberships: 0, customers: 0, subscriptions: 0 };
const welcomes = async (email: string) =>
  (await mailsTo(suite.app, email)).filter((mail) => mail.includes('you are its owner')).length;

/** Makes the provider unreachable until the test ends or `restore` is called. */
function loseProvider(): () => void {
  const { payments } = suite.app.services;
  const fail = () => Promise.reject(new PaymentProviderError('unavailable', 'The provider cannot be reached.'));
  const lost = { ...payments, createCheckout: fail, findCheckout: fail, expireCheckout: fail };
  const restore = () => void Object.assign(suite.app.services, { payments });
  Object.assign(suite.app.services, { payments: lost });
  onTestFinished(restore);
  return restore;
}

test('a user who pays gets a tenant whose API key validates licenses', async () => {
  const own = await createSignUp(suite.app);
  const started = await startSignUp(own, plan, { tenant_name: 'Lovelace Ltd' });
  expect(started).toMatchObject({ status: 'pending', plan, interval: 'month', currency: 'eur', amount: 2900 });
  expect(started.checkout_url).toMatch(/^http/);
  expect(started.tenant_id).toBeNull();
  await paySignUp(suite.app, started.id);
  expect((await own.post(`/${started.id}/complete`)).body.data.status).toBe('paid');
  await runTenantJobs(suite.app);
  const { body } = await own.get(`/${started.id}`);
  expect(body.data).toMatchObject({ status: 'completed', checkout_url: null, error: null });
  expect(body.data.steps.map(({ name }: { name: string }) => name)).toEqual(
    ['payment', 'database', 'migrations', 'signing_key', 'tenant', 'subscription', 'welcome'], // biome-ignore format: one line
  );
  expect(body.data.steps.every(({ done_at }: { done_at: string | null }) => done_at !== null)).toBe(true);
  expect(await countSignUpRows(suite.app, started.id)).toEqual(whole);
  // "keys status" would count the password of the database in it for ever.
  expect((await readSignUpRow(suite.app, started.id)).placement_json).toBeNull();
  const asOwner: TestTenant['asOwner'] = (method, path, payload) =>
    suite.app.request({ method, url: `/api/v1/tenant${path}`, headers: own.user.auth, ...(payload && { payload }) });
  const { key } = (await asOwner('POST', '/api-keys', { name: 'First' })).body.data;
  const license = await newLicense({ asOwner } as TestTenant);
  const verdict = await suite.app.request({
    method: 'POST',
    url: `/api/v1/integration/licenses/${license.key}/validate`,
    headers: { 'x-api-key': key },
  });
  expect(verdict.body.data).toMatchObject({ valid: true, code: 'LICENSE.VALID' });
  expect(await welcomes(own.user.email)).toBe(1);
  const record = await suite.app.services.platform.query
    .selectFrom('audit_logs')
    .select(['event', 'actor_type', 'actor_id'])
    .where('resource_id', '=', body.data.tenant_id)
    .execute();
  expect(record).toEqual([{ event: 'TENANT.CREATED', actor_type: 'user', actor_id: own.user.id }]);
});

test('a free plan is provisioned at once, without a payment provider', async () => {
  const { payments } = suite.app.services;
  Object.assign(suite.app.services, { payments: null });
  onTestFinished(() => void Object.assign(suite.app.services, { payments }));
  const own = await createSignUp(suite.app);
  const started = await startSignUp(own, 'free');
  expect(started).toMatchObject({ status: 'provisioning', amount: 0, interval: null, checkout_url: null });
  await runTenantJobs(suite.app);
  expect(await statusOf(started.id, own)).toBe('completed');
  expect(await countSignUpRows(suite.app, started.id)).toEqual({ ...whole, customers: 0, subscriptions: 0 });
  expect(outcomeOf(await own.post('/checkout', { plan, tenant_name: 'Acme' }))).toBe('409 ONBOARDING.NO_PROVIDER');
});

test('concurrent redirects, polls, events and nodes create one tenant', async () => {
  const own = await createSignUp(suite.app);
  const { id } = await startSignUp(own, plan);
  await paySignUp(suite.app, id);
  const answers = await times(20, () => own.post(`/${id}/complete`));
  expect(new Set(answers.map(outcomeOf))).toEqual(new Set(['200 ok']));
  await times(3, () => runTenantJobs(suite.app));
  await times(20, () => own.post(`/${id}/complete`));
  await runTenantJobs(suite.app);
  expect(await statusOf(id, own)).toBe('completed');
  expect(await countSignUpRows(suite.app, id)).toEqual(whole);
  expect(await welcomes(own.user.email)).toBe(1);
});

test('the onboarding job finds a payment whose events were lost', async () => {
  const { id } = await startSignUp(signUp, plan);
  await paySignUp(suite.app, id);
  clock.advance(24 * 3_600_000 + 1000);
  await runTenantJobs(suite.app);
  expect(await statusOf(id)).toBe('completed');
  expect(await countSignUpRows(suite.app, id)).toEqual(whole);
});

describe('an unpaid checkout', () => {
  test('a checkout with a declined card expires and creates no tenant', async () => {
    const own = await createSignUp(suite.app);
    const { id } = await startSignUp(own, plan);
    await expect(paySignUp(suite.app, id, 'declined')).rejects.toThrow('declined');
    expect((await own.post(`/${id}/complete`)).body.data.status).toBe('pending');
    await runTenantJobs(suite.app);
    expect(await countSignUpRows(suite.app, id)).toEqual(nothing);
    clock.advance(24 * 3_600_000 + 1000);
    await runTenantJobs(suite.app);
    expect(await statusOf(id, own)).toBe('expired');
    await expect(paySignUp(suite.app, id)).rejects.toThrow('expired');
    expect((await own.post(`/${id}/complete`)).body.data.status).toBe('expired');
  });

  test('a canceled checkout cannot be paid', async () => {
    const { id } = await startSignUp(signUp, plan);
    const canceled = await signUp.post(`/${id}/cancel`);
    expect(canceled.body.data).toMatchObject({ status: 'canceled', checkout_url: null });
    expect((await signUp.post(`/${id}/cancel`)).body.data.status).toBe('canceled');
    await expect(paySignUp(suite.app, id)).rejects.toThrow('expired');
    await runTenantJobs(suite.app);
    expect(await countSignUpRows(suite.app, id)).toEqual(nothing);
  });

  test('a checkout that is paid before its cancellation is provisioned, and the cancellation is refused', async () => {
    const { id } = await startSignUp(signUp, plan);
    await paySignUp(suite.app, id);
    expect(outcomeOf(await signUp.post(`/${id}/cancel`))).toBe('409 ONBOARDING.TRANSITION_INVALID');
    await runTenantJobs(suite.app);
    expect(await statusOf(id)).toBe('completed');
    expect(outcomeOf(await signUp.post(`/${id}/cancel`))).toBe('409 ONBOARDING.TRANSITION_INVALID');
  });
});

test('a checkout keeps its price when the plan is archived and its price rises before the payment', async () => {
  const own = (await offerPlan(suite.app, await createAdmin(suite.app), [monthlyPrice])).code;
  const { id } = await startSignUp(signUp, own);
  const { query } = suite.app.services.platform;
  await query
    .updateTable('plans')
    .set({ archived_at: suite.app.services.clock.now() })
    .where('code', '=', own)
    .execute();
  await query.updateTable('plan_prices').set({ amount: 9900 }).execute();
  onTestFinished(async () => {
    await query.updateTable('plan_prices').set({ amount: monthlyPrice.amount }).execute();
  });
  await paySignUp(suite.app, id);
  await signUp.post(`/${id}/complete`);
  await runTenantJobs(suite.app);
  const row = await readSignUpRow(suite.app, id);
  const subscription = await sandboxOf(suite.app).payments.findSubscription(row.provider_subscription_id ?? '');
  expect(subscription).toMatchObject({ planCode: own, amount: 2900 });
  const tenant = await query
    .selectFrom('tenants')
    .select('plan_code')
    .where('id', '=', row.tenant_id)
    .executeTakeFirst();
  expect(tenant?.plan_code).toBe(own);
  expect(outcomeOf(await signUp.post('/checkout', { plan: own, tenant_name: 'Acme' }))).toBe('422 VALIDATION.FAILED');
});

test('a disabled user gets no tenant, the subscription is canceled, and the audit log shows it', async () => {
  const own = await createSignUp(suite.app);
  const { id } = await startSignUp(own, plan);
  await paySignUp(suite.app, id);
  await own.post(`/${id}/complete`);
  await disableUser(suite.app, own.user.id);
  await runTenantJobs(suite.app);
  const row = await readSignUpRow(suite.app, id);
  expect(row).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('no longer exists'),
    placement_json: null,
  });
  const subscription = await sandboxOf(suite.app).payments.findSubscription(row.provider_subscription_id ?? '');
  expect(subscription?.status).toBe('canceled');
  expect(await countSignUpRows(suite.app, id)).toEqual(nothing);
  const admin = await createAdmin(suite.app);
  const url = `/api/v1/admin/audit?resource_id=${id}`;
  const { body } = await suite.app.request({ method: 'GET', url, headers: admin.auth });
  const events = body.data.map(({ event }: { event: string }) => event);
  expect(events).toEqual(['ONBOARDING.FAILED', 'ONBOARDING.PAID', 'ONBOARDING.STARTED']);
});

describe('an outage of the provider', () => {
  test('while the provider is unavailable a checkout fails and is not left open', async () => {
    const own = await createSignUp(suite.app);
    loseProvider();
    const answer = await own.post('/checkout', { plan, tenant_name: 'Acme' });
    expect([outcomeOf(answer), answer.headers['retry-after']]).toEqual(['503 SERVICE.UNAVAILABLE', '10']);
    const { body } = await own.get();
    expect(body.data).toMatchObject([{ status: 'failed', checkout_url: null }]);
  });

  test('a payment during an outage of the provider creates the tenant afterwards', async () => {
    const own = await createSignUp(suite.app);
    const { id } = await startSignUp(own, plan);
    await paySignUp(suite.app, id);
    const restore = loseProvider();
    expect(outcomeOf(await own.post(`/${id}/complete`))).toBe('503 SERVICE.UNAVAILABLE');
    restore();
    await own.post(`/${id}/complete`);
    await runTenantJobs(suite.app);
    expect(await statusOf(id, own)).toBe('completed');
  });
});

describe('invalid requests', () => {
  const refused: readonly (readonly [string, object])[] = [
    ['plan', { plan: 'no-such-plan' }],
    ['interval', { interval: 'year' }],
    ['interval', { interval: 'week' }],
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 'EUR' }],
    ['tenant_name', { tenant_name: '' }],
    ['amount', { amount: 1 }],
  ];
  test.each(refused)('a checkout with an invalid %s is refused', async (field, fields) => {
    const own = await createSignUp(suite.app);
    const answer = await own.post('/checkout', { plan, tenant_name: 'Acme', ...fields });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.map((detail: { field: string }) => detail.field)).toEqual([field]);
  });

  test.each([
    ['plan and plan_code together', 'plan', (code: string) => ({ plan: code, plan_code: code })],
    ['neither plan nor plan_code', 'plan_code', () => ({})],
  ])('a checkout with %s is refused by the name of the field', async (_title, field, planFields) => {
    const own = await createSignUp(suite.app);
    const answer = await own.post('/checkout', { tenant_name: 'Acme', ...planFields(plan) });
    expect(outcomeOf(answer)).toBe('422 VALIDATION.FAILED');
    expect(badFields(answer)).toEqual([field]);
    expect((await own.get()).body.data).toEqual([]);
  });

  test('a checkout has the price of the requested interval and currency', async () => {
    const own = await createSignUp(suite.app);
    const rich = (
      await offerPlan(suite.app, await createAdmin(suite.app), [
        monthlyPrice,
        { interval: 'month', currency: 'usd', amount: 3100 },
        { interval: 'year', currency: 'usd', amount: 31_000 },
      ])
    ).code;
    const chosen = await startSignUp(own, rich, { currency: 'usd' });
    expect(chosen).toMatchObject({ interval: 'month', currency: 'usd', amount: 3100 });
    expect(await startSignUp(own, rich, { interval: 'year' })).toMatchObject({ interval: 'year', amount: 31_000 });
    expect((await own.post('/checkout', { plan: rich, tenant_name: 'Acme' })).body.error.details[0].field).toBe(
      'currency',
    );
  });

  test("another user's checkout is a 404, like one that does not exist", async () => {
    const { id } = await startSignUp(await createSignUp(suite.app), plan);
    const other = await createSignUp(suite.app);
    const answers = [await other.get(`/${id}`), await other.post(`/${id}/complete`), await other.post(`/${id}/cancel`)];
    for (const answer of answers) expect(outcomeOf(answer)).toBe('404 RESOURCE.NOT_FOUND');
    expect((await other.get()).body.data).toEqual([]);
  });

  test('a user without a verified email address cannot start a checkout', async () => {
    const user = await createUser(suite.app);
    const { query } = suite.app.services.platform;
    await query.updateTable('users').set({ email_verified_at: null }).where('id', '=', user.id).execute();
    const own = await createSignUp(suite.app, user);
    expect(outcomeOf(await own.post('/checkout', { plan, tenant_name: 'Acme' }))).toBe('403 AUTH.EMAIL_UNVERIFIED');
  });

  test('a user has at most five open checkouts, even after concurrent requests', async () => {
    const own = await createSignUp(suite.app);
    const answers = await times(8, () => own.post('/checkout', { plan, tenant_name: 'Acme' }));
    expect(answers.map(outcomeOf).sort()).toEqual([
      ...Array.from({ length: 5 }, () => '201 ok'),
      ...Array.from({ length: 3 }, () => '409 ONBOARDING.TOO_MANY_OPEN'),
    ]);
    const open = (await own.get('?status=pending')).body.data;
    expect(open).toHaveLength(5);
    await own.post(`/${open[0].id}/cancel`);
    expect((await own.post('/checkout', { plan, tenant_name: 'Acme' })).status).toBe(201);
    expect(outcomeOf(await own.post('/checkout', { plan, tenant_name: 'Acme' }))).toMatch(/^409/);
    expect(outcomeOf(await own.post('/checkout', { plan, tenant_name: 'Acme' }))).toBe('429 RATE_LIMIT.EXCEEDED');
  });
});

test.each([
  ['', ''],
  ['/canceled', '&canceled=true'],
])('a checkout that was started before the dashboard existed returns by /onboarding/:id%s', async (path, rest) => {
  const { id } = await startSignUp(await createSignUp(suite.app), plan);
  const response = await suite.app.request({ method: 'GET', url: `/onboarding/${id}${path}` });
  const welcome = `${suite.app.config.publicUrl}/welcome?onboarding=${id}${rest}`;
  expect([response.status, response.headers.location]).toEqual([302, welcome]);
});

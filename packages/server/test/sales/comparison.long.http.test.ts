import { beforeEach, describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { comparisonJob } from '../../src/features/sales/comparison/comparison-job.ts';
import { runFirstStep, runTenantJobs } from '../jobs/job-rows.ts';
import { useTenantPerTest } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created } from '../support/licensing-catalog.ts';
import { connectShop, licenseOf, offerItems } from './custom-shop.ts';
import { type ImitatedStripe, imitateStripe, subscriptionsOf } from './imitated-stripe.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenantPerTest();
const minuteMs = 60_000;
const now = () => Math.floor(Date.now() / 1000);

let stripe: ImitatedStripe;
let id: string;

beforeEach(async () => {
  const { tenant } = suite;
  stripe = imitateStripe();
  Object.assign(suite.app.services, { shopFetch: stripe.fetch });
  id = created(
    await tenant.asOwner('POST', '/connections', { provider: 'stripe', name: 'Shop', api_key: 'rk_test_1' }),
  ).id;
  await offerItems({ id, tenant }, { pro: { quantity: 'seats' }, team: { quantity: 'seats' } });
});

const path = (rest = '') => `/connections/${id}/comparisons${rest}`;
const start = async () => {
  const { status, body } = await suite.tenant.asOwner('POST', path());
  expect(status).toBe(202);
  return body.data;
};
const read = async (comparison: string) => (await suite.tenant.asOwner('GET', path(`/${comparison}`))).body.data;
const differencesOf = async (comparison: string, query = '?limit=100') =>
  (await suite.tenant.asOwner('GET', path(`/${comparison}/differences${query}`))).body.data;
const cancel = (comparison: string) => suite.tenant.asOwner('POST', path(`/${comparison}/cancel`));
const work = () => runTenantJobs(suite.app);
const firstStep = () => runFirstStep(suite.app, suite.tenant.id, comparisonJob(suite.app.services));
const licenses = async () => (await suite.tenant.asOwner('GET', '/licenses?limit=100')).body.data;

/** Compares and applies everything. */
async function applyAll(): Promise<void> {
  const { id: comparison } = await start();
  await work();
  expect((await suite.tenant.asOwner('POST', path(`/${comparison}/apply`))).status).toBe(202);
  await work();
}

describe('a comparison', () => {
  test('it lists what is paid there and missing here, and changes nothing', async () => {
    stripe.subscriptions.push({ id: 'sub_1', quantity: 4 });
    const comparison = await start();
    expect(comparison).toMatchObject({ state: 'running', seen: 0, differences: 0, applies_itself: false });
    await work();
    expect(await read(comparison.id)).toMatchObject({ state: 'done', seen: 1, differences: 1, continues_at: null });
    expect(await differencesOf(comparison.id)).toMatchObject([
      {
        external_id: 'sub_1',
        kind: 'missing_here',
        state: 'open',
        buyer: { reference: 'cus_sub_1', name: 'Ada Lovelace', email: 'sub_1@example.com' },
        license_ids: [],
      },
    ]);
    expect(await licenses()).toEqual([]);
  });

  test('a difference is applied with one request, once', async () => {
    stripe.subscriptions.push({ id: 'sub_1', quantity: 4 });
    const comparison = await start();
    await work();
    const [difference] = await differencesOf(comparison.id);
    const apply = () => suite.tenant.asOwner('POST', path(`/${comparison.id}/differences/${difference.id}/apply`));
    const first = await apply();
    expect([first.status, first.body.data.state, first.body.data.license_ids.length]).toEqual([200, 'applied', 1]);
    expect((await apply()).body.data).toEqual(first.body.data);
    const [license] = await licenses();
    expect(license).toMatchObject({ max_activations: 4, status: 'active', holder: { email: 'sub_1@example.com' } });
    const second = await start();
    await work();
    expect(await read(second.id)).toMatchObject({ state: 'done', seen: 1, differences: 0 });
  });

  test('it finds other seats, another end, and what has ended there', async () => {
    stripe.subscriptions.push({ id: 'sub_1', quantity: 2 }, { id: 'sub_2' }, { id: 'sub_3' });
    await applyAll();
    const [two, three] = [now() + 90 * 86_400, now()];
    stripe.subscriptions.splice(0, 3);
    stripe.subscriptions.push({ id: 'sub_1', quantity: 9 }, { id: 'sub_2', paidUntil: two });
    stripe.subscriptions.push({ id: 'sub_3', status: 'canceled', endedAt: three });
    const comparison = await start();
    await work();
    const found = await differencesOf(comparison.id);
    expect(
      Object.fromEntries(found.map((one: { external_id: string; kind: string }) => [one.external_id, one.kind])),
    ).toEqual({
      sub_1: 'other_terms',
      sub_2: 'other_terms',
      sub_3: 'active_here_only',
    });
    const seats = found.find((one: { external_id: string }) => one.external_id === 'sub_1');
    expect(seats.summary).toBe('The shop says: 9 devices instead of 2 devices.');
    expect((await suite.tenant.asOwner('POST', path(`/${comparison.id}/apply`))).status).toBe(202);
    await work();
    expect(await differencesOf(comparison.id, '?state=open')).toEqual([]);
    const after = await licenses();
    expect(after.map(({ max_activations }: { max_activations: number }) => max_activations).toSorted()).toEqual([
      1, 1, 9,
    ]);
    const ended = found.find((one: { external_id: string }) => one.external_id === 'sub_3');
    const license = await licenseOf(suite.tenant, ended.license_ids[0]);
    expect(Date.parse(license.expires_at)).toBeLessThanOrEqual(Date.now());
  });

  test('an item without an offer stays open until one is added', async () => {
    stripe.subscriptions.push({ id: 'sub_1', price: 'unknown' });
    const comparison = await start();
    await work();
    const [difference] = await differencesOf(comparison.id);
    expect(difference).toMatchObject({ kind: 'problem', summary: expect.stringContaining('unknown') });
    const apply = () => suite.tenant.asOwner('POST', path(`/${comparison.id}/differences/${difference.id}/apply`));
    expect((await apply()).body.data.state).toBe('open');
    const sales = (await suite.tenant.asOwner('GET', `/connections/${id}/sales?problem=unmapped`)).body.data;
    expect(sales).toHaveLength(1);
    await offerItems({ id, tenant: suite.tenant }, { unknown: {} });
    expect((await apply()).body.data).toMatchObject({ state: 'applied', license_ids: [expect.any(String)] });
  });

  test('a buyer is erased, also from what exists only in the shop', async () => {
    stripe.subscriptions.push({ id: 'sub_1', email: 'Ada@example.com' });
    await applyAll();
    stripe.subscriptions.push({ id: 'sub_2', email: 'ADA@example.com' }, { id: 'sub_3' });
    const comparison = await start();
    await work();
    expect(await differencesOf(comparison.id)).toHaveLength(2);
    expect((await suite.tenant.asOwner('DELETE', '/customers/ada@example.com')).status).toBe(200);
    const left = await differencesOf(comparison.id);
    expect(left.map((one: { external_id: string }) => one.external_id)).toEqual(['sub_3']);
  });
});

describe('the pages of a comparison', () => {
  test('they are read once each, and the job continues where it stopped', async () => {
    stripe.subscriptions.push(...subscriptionsOf(450));
    const comparison = await start();
    await work();
    expect(await read(comparison.id)).toMatchObject({ state: 'done', seen: 450, differences: 450 });
    expect(stripe.pages()).toBe(5);
  });

  test('the shop is not asked again before the time that it names, and then the same page is read', async () => {
    stripe.subscriptions.push(...subscriptionsOf(150));
    const comparison = await start();
    stripe.next.push(() => new Response('', { status: 429, headers: { 'retry-after': '120' } }));
    await work();
    expect(await read(comparison.id)).toMatchObject({
      state: 'running',
      seen: 0,
      reason: expect.stringContaining('Stripe'),
    });
    clock.advance(minuteMs);
    await work();
    expect(stripe.pages()).toBe(0);
    clock.advance(minuteMs + 1000);
    await work();
    expect(await read(comparison.id)).toMatchObject({ state: 'done', seen: 150, differences: 150, reason: null });
  });

  test('a shop that does not answer is asked again later', async () => {
    stripe.subscriptions.push({ id: 'sub_1' });
    const comparison = await start();
    stripe.next.push(() => Promise.reject(new TypeError('fetch failed')));
    await work();
    expect(await read(comparison.id)).toMatchObject({ state: 'running' });
    clock.advance(6 * minuteMs);
    await work();
    expect(await read(comparison.id)).toMatchObject({ state: 'done', seen: 1 });
  });

  test('one that is cancelled reads no further page, keeps what it found, and another can start', async () => {
    stripe.subscriptions.push(...subscriptionsOf(150));
    const comparison = await start();
    await firstStep();
    const cancelled = await cancel(comparison.id);
    expect(cancelled.body.data, cancelled.text).toMatchObject({
      ...{ state: 'failed', seen: 100, differences: 100, continues_at: null },
      reason: 'The comparison was cancelled.',
    });
    await work();
    expect(await read(comparison.id)).toEqual(cancelled.body.data);
    const again = await cancel(comparison.id);
    expect([again.status, again.body.data]).toEqual([200, cancelled.body.data]);
    const { body } = await suite.tenant.asOwner('GET', '/audit-logs?event=COMPARISON.CANCELLED');
    expect(body.data).toMatchObject([{ resource_id: comparison.id, actor_type: 'user' }]);
    const next = await start();
    await work();
    expect(await read(next.id)).toMatchObject({ state: 'done', seen: 150 });
  });

  test('one that is cancelled while it applies keeps what it applied, and can apply the rest later', async () => {
    stripe.subscriptions.push(...subscriptionsOf(70));
    const comparison = await start();
    await work();
    await suite.tenant.asOwner('POST', path(`/${comparison.id}/apply`));
    await firstStep();
    const cancelled = await cancel(comparison.id);
    expect(cancelled.body.data).toMatchObject({ state: 'done', applies_itself: false, continues_at: null });
    await work();
    expect(await licenses()).toHaveLength(50);
    await suite.tenant.asOwner('POST', path(`/${comparison.id}/apply`));
    await work();
    expect(await licenses()).toHaveLength(70);
  });

  test('a refused key ends it with the reason and a notification', async () => {
    const comparison = await start();
    stripe.next.push(() => new Response('', { status: 401 }));
    await work();
    expect(await read(comparison.id)).toMatchObject({ state: 'failed', reason: expect.stringContaining('API key') });
    const notifications = (await suite.tenant.asOwner('GET', '/notifications')).body.data;
    expect(notifications).toMatchObject([{ type: 'sales.problem' }]);
    expect(await start()).toMatchObject({ state: 'running' });
  });

  test('a connection that is disabled meanwhile ends it', async () => {
    const comparison = await start();
    await suite.tenant.asOwner('PUT', `/connections/${id}`, { status: 'disabled' });
    await work();
    const ended = { state: 'failed', seen: 0, reason: expect.stringContaining('disabled') };
    expect(await read(comparison.id)).toMatchObject(ended);
  });
});

describe('the nightly comparison', () => {
  /** The sweep gives every tenant its daily run, within a day. */
  async function night(): Promise<void> {
    await createBackgroundJobs(suite.app.services).sweep.sweepNext();
    clock.advance(24 * 60 * minuteMs);
    await work();
  }

  test('it runs once a day by itself and applies what it finds', async () => {
    stripe.subscriptions.push({ id: 'sub_1' });
    await suite.tenant.asOwner('PUT', `/connections/${id}`, { compares_itself: true });
    await night();
    expect(await licenses()).toHaveLength(1);
    const [latest, ...others] = (await suite.tenant.asOwner('GET', path())).body.data;
    expect([latest.applies_itself, others]).toEqual([true, []]);
    expect((await differencesOf(latest.id))[0].state).toBe('applied');
    await work();
    expect((await suite.tenant.asOwner('GET', path())).body.data).toHaveLength(1);
  });

  test('a connection that does not ask for it is left alone', async () => {
    await night();
    expect((await suite.tenant.asOwner('GET', path())).body.data).toEqual([]);
  });
});

describe('a comparison is refused', () => {
  test('while another one of the connection runs', async () => {
    await start();
    const answer = await suite.tenant.asOwner('POST', path());
    expect([answer.status, answer.body.error.code]).toEqual([409, 'SALES.COMPARISON_RUNNING']);
  });

  test('without an API', async () => {
    const shop = await connectShop(suite.app, suite.tenant);
    const answer = await suite.tenant.asOwner('POST', `/connections/${shop.id}/comparisons`);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'SALES.NO_API']);
  });
});

test('a license that the plan refuses stays open, and its sale shows the problem', async () => {
  stripe.subscriptions.push({ id: 'sub_1' }, { id: 'sub_2' });
  await suite.asAdmin('PATCH', `/tenants/${suite.tenant.id}`, { limits: { licenses: 1 } });
  await applyAll();
  expect(await licenses()).toHaveLength(1);
  const [comparison] = (await suite.tenant.asOwner('GET', path())).body.data;
  expect(await differencesOf(comparison.id, '?state=open')).toHaveLength(1);
  expect((await suite.tenant.asOwner('GET', `/connections/${id}/sales?problem=limit_reached`)).body.data).toHaveLength(
    1,
  );
});

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { type PaymentProvider, PaymentProviderError } from '../../src/payments/provider.ts';
import { monthlyPrice, offerPlan } from '../commerce/buyers.ts';
import { runPlatformRetention, runTenantJobs } from '../jobs/job-rows.ts';
import { sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createAdmin, createUser, freshAddress } from '../support/accounts.ts';
import { type Answer, engine, startApp, stopApp, type TestApp, useApp, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
let plan: string;
let user: Account;

beforeAll(async () => {
  plan = (await offerPlan(suite.app, await createAdmin(suite.app), [monthlyPrice])).code;
  user = await createUser(suite.app);
});

const post = (path: string, key: string, payload?: object, of = user, app: TestApp = suite.app) =>
  app.request({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { ...of.auth, 'idempotency-key': key },
    remoteAddress: freshAddress(),
    ...(payload && { payload }),
  });
const checkout = (key: string, of = user, app: TestApp = suite.app) =>
  post('/onboarding/checkout', key, { plan, tenant_name: 'Acme' }, of, app);
const outcomeOf = ({ status, body }: Answer) => [status, body.error?.code];
const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';
const query = () => suite.app.services.platform.query;
const checkoutsOf = ({ id }: Account) =>
  query().selectFrom('onboarding_checkouts').selectAll().where('user_id', '=', id).execute();
const keysOf = ({ id }: Account) =>
  query().selectFrom('user_idempotency_keys').selectAll().where('user_id', '=', id).execute();

/** Replaces how the provider creates checkouts until the test ends. */
function replaceCreateCheckout(createCheckout: PaymentProvider['createCheckout']): () => void {
  const { payments } = sandboxOf(suite.app);
  const restore = () => void Object.assign(suite.app.services, { payments });
  Object.assign(suite.app.services, { payments: { ...payments, createCheckout } });
  onTestFinished(restore);
  return restore;
}

describe('a creating request of a user without a tenant', () => {
  test.each([
    ['a checkout', 201, (key: string) => checkout(key)],
    ['an export', 202, (key: string) => post('/account/export', key)],
  ])('a repetition of %s returns the first result with its own request id', async (_name, status, create) => {
    const key = newId();
    const first = await create(key);
    await runTenantJobs(suite.app);
    const second = await create(key);
    expect([first.status, isReplay(first)]).toEqual([status, false]);
    expect([second.status, isReplay(second)]).toEqual([status, true]);
    expect(second.body.data).toEqual(first.body.data);
    expect(second.body.meta.request_id).toBe(second.headers['x-request-id']);
    expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
  });

  test('8 concurrent requests with one key, on any node, create one checkout here and at the provider', async () => {
    const other = engine === 'postgres' ? await startApp(suite.app.site, { PAYMENT_PROVIDER: 'sandbox' }) : suite.app;
    const buyer = await createUser(suite.app);
    const key = newId();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => checkout(key, buyer, index % 2 === 0 ? suite.app : other)),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.filter((answer) => !isReplay(answer))).toHaveLength(1);
    for (const answer of answers) {
      expect([
        [201, undefined],
        [409, 'IDEMPOTENCY.IN_PROGRESS'],
      ]).toContainEqual(outcomeOf(answer));
    }
    const [row, ...more] = await checkoutsOf(buyer);
    expect([row?.id, more]).toEqual([made[0]?.body.data.id, []]);
    const atProvider = query()
      .selectFrom('sandbox_checkouts')
      .selectAll()
      .where('reference', '=', row?.id ?? '');
    expect(await atProvider.execute()).toHaveLength(1);
    if (other !== suite.app) await stopApp(other);
  });

  test('a key is refused with another body, and is independent of other users and routes', async () => {
    const key = newId();
    const [buyer, other] = [await createUser(suite.app), await createUser(suite.app)];
    const first = await checkout(key, buyer);
    const changed = await post('/onboarding/checkout', key, { plan, tenant_name: 'Other' }, buyer);
    expect(outcomeOf(changed)).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
    const another = await checkout(key, other);
    expect([another.status, isReplay(another)]).toEqual([201, false]);
    expect(another.body.data.id).not.toBe(first.body.data.id);
    expect((await post('/account/export', key, undefined, buyer)).status).toBe(202);
  });

  test('a key can be used again after a failure of the provider, which leaves no open checkout', async () => {
    const buyer = await createUser(suite.app);
    const restore = replaceCreateCheckout(() => Promise.reject(new PaymentProviderError('unavailable', 'Gone.')));
    const key = newId();
    expect(outcomeOf(await checkout(key, buyer))).toEqual([503, 'SERVICE.UNAVAILABLE']);
    restore();
    expect(outcomeOf(await checkout(key, buyer))).toEqual([201, undefined]);
    expect((await checkoutsOf(buyer)).map(({ status }) => status).sort()).toEqual(['failed', 'pending']);
  });

  test('a repetition continues the checkout of a process that died or stalls before the provider answered', async () => {
    const buyer = await createUser(suite.app);
    const key = newId();
    const { payments } = sandboxOf(suite.app);
    const stalled = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    const restore = replaceCreateCheckout(async (asked) => {
      called.resolve();
      await stalled.promise;
      return await payments.createCheckout(asked);
    });
    const first = checkout(key, buyer);
    await called.promise;
    restore();
    expect(outcomeOf(await checkout(key, buyer))).toEqual([409, 'IDEMPOTENCY.IN_PROGRESS']);
    clock.advance(61_000);
    const second = await checkout(key, buyer);
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    stalled.resolve();
    expect((await first).body.data.checkout_url).toBe(second.body.data.checkout_url);
    const third = await checkout(key, buyer);
    expect([isReplay(third), third.body.data]).toEqual([true, second.body.data]);
    expect(await checkoutsOf(buyer)).toMatchObject([{ id: second.body.data.id }]);
  });
});

test('a key is remembered for 24 hours; then the daily job deletes it', async () => {
  const buyer = await createUser(suite.app);
  const key = newId();
  const first = await checkout(key, buyer);
  const run = () => runPlatformRetention(suite.app.services, 'idempotency-retention');
  clock.advance(86_400_000 - 2000);
  await run();
  expect((await checkout(key, buyer)).body.data).toEqual(first.body.data);
  clock.advance(3000);
  await run();
  expect(await keysOf(buyer)).toEqual([]);
  const later = await checkout(key, buyer);
  expect([later.status, later.body.data.id === first.body.data.id]).toEqual([201, false]);
});

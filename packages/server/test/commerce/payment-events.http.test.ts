import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { billingSyncKind } from '../../src/features/commerce/billing/enqueue.ts';
import { onboardingKind } from '../../src/features/commerce/onboarding/payment-service.ts';
import { newId } from '../../src/lib/ids.ts';
import { signedHeaders } from '../../src/payments/sandbox/events.ts';
import { buy, price, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createAdmin } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
const clock = useClock();

let billingAdmin: Account;
let reader: Account;

beforeAll(async () => {
  billingAdmin = await createAdmin(suite.app, 'billing_admin');
  reader = await createAdmin(suite.app, 'billing_readonly');
});

interface EventFields {
  readonly id?: string;
  readonly type?: string;
  readonly subscription?: string | null;
  readonly reference?: string | null;
}

function bodyOf({ id = newId(), type = 'invoice.paid', subscription = null, reference = null }: EventFields): string {
  const object = { id: 'in_1', subscription, reference };
  return JSON.stringify({ id, object: 'event', type, created: 1_795_000_000, livemode: false, data: { object } });
}

function sign(body: string, nowMs = Date.now()): Record<string, string> {
  return signedHeaders(suite.app.services.keyring, body, nowMs);
}

const post = (payload: string | Buffer, headers: InjectOptions['headers'] = {}, url = '/webhooks/sandbox') =>
  suite.app.request({ method: 'POST', url, payload, headers });

const postSigned = (body: string) => post(body, sign(body));

const events = () => suite.app.services.platform.query.selectFrom('payment_events').selectAll().execute();

const jobsOf = async (subjectId: string) => {
  const jobs = suite.app.services.platform.query.selectFrom('jobs').select('kind').where('subject_id', '=', subjectId);
  return (await jobs.execute()).map(({ kind }) => kind).toSorted();
};

const takeJobs = () => suite.app.services.platform.query.deleteFrom('jobs').execute();

describe('an event on the payment webhook', () => {
  test('an event is stored with its ids alone and enqueues the work of its subscription and its checkout', async () => {
    const [reference, subscription] = [newId(), `sub_${newId()}`];
    const body = bodyOf({ reference, subscription });
    const answer = await postSigned(body);
    expect([answer.status, answer.body.data]).toEqual([200, { received: true }]);
    const stored = (await events()).find((event) => event.checkout_reference === reference);
    expect(stored).toMatchObject({ provider: 'sandbox', type: 'invoice.paid', provider_subscription_id: subscription });
    expect(await jobsOf(subscription)).toEqual([billingSyncKind]);
    expect(await jobsOf(reference)).toEqual([onboardingKind]);
  });

  test('a repeated event gets the same response and has no effect, also concurrently', async () => {
    const subscription = `sub_${newId()}`;
    const body = bodyOf({ subscription });
    const answers = await Promise.all([1, 2, 3, 4].map(() => postSigned(body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await takeJobs();
    expect((await postSigned(body)).status).toBe(200);
    expect(await jobsOf(subscription)).toEqual([]);
    expect((await events()).filter((event) => event.provider_subscription_id === subscription)).toHaveLength(1);
  });

  test.each<[string, EventFields]>([
    ['of an unknown type', { type: 'radar.early_fraud_warning.created' }],
    ["about a checkout that is not the service's", { reference: "x'; drop table jobs; --" }],
    ['with an id of 300 characters', { id: 'e'.repeat(300), subscription: 'sub_1' }],
  ])('an event %s gets 200 and has no effect', async (_name, fields) => {
    const before = await events();
    expect((await postSigned(bodyOf(fields))).status).toBe(200);
    expect(await events()).toEqual(before);
  });

  const subject = { subscription: 'sub_rejected' };
  const body = bodyOf(subject);
  test.each<[string, () => [string | Buffer, Record<string, string>]]>([
    ['without a signature', () => [body, {}]],
    ['with an empty signature', () => [body, { 'sandbox-signature': '' }]],
    ['with a malformed signature', () => [body, { 'sandbox-signature': 'v1=abc' }]],
    ['with the signature of another body', () => [body, sign(`${body} `)]],
    ['with an altered body', () => [body.replace('sub_rejected', 'sub_rejecteD'), sign(body)]],
    ['signed more than 300 s ago', () => [body, sign(body, Date.now() - 301_000)]],
    ['signed more than 300 s ahead', () => [body, sign(body, Date.now() + 301_000)]],
    ['that is not JSON', () => ['{', sign('{')]],
    ['that is JSON of another shape', () => ['[]', sign('[]')]],
    ['with fields of wrong types', () => [...signedText('{"id":1,"type":2,"created":"x","data":{"object":{}}}')]],
    ['without a body', () => ['', sign('')]],
  ])('an event %s is refused and has no effect', async (_name, make) => {
    const before = await events();
    const [payload, headers] = make();
    const answer = await post(payload, headers);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'PAYMENT.EVENT_REJECTED']);
    expect(await events()).toEqual(before);
    expect(await jobsOf('sub_rejected')).toEqual([]);
  });

  function signedText(text: string): [string, Record<string, string>] {
    return [text, sign(text)];
  }

  test('an event that was signed less than 300 s ago is accepted', async () => {
    const fresh = bodyOf({ subscription: `sub_${newId()}` });
    expect((await post(fresh, sign(fresh, Date.now() - 299_000))).status).toBe(200);
  });

  test('an event of more than 1 MiB is refused without being read', async () => {
    const large = 'x'.repeat(1024 * 1024 + 1);
    const answer = await post(large, sign(large));
    expect([answer.status, answer.body.error.code]).toEqual([413, 'REQUEST.TOO_LARGE']);
  });

  test('an event of a provider that is not configured is a 404', async () => {
    const answer = await post(body, { 'stripe-signature': 't=1,v1=00' }, '/webhooks/stripe');
    expect([answer.status, answer.body.error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
  });
});

describe("the sandbox's own events", () => {
  test("the sandbox's events of a purchase arrive signed and enqueue their work", async () => {
    const { subscriptionId, reference } = await buy(suite.app, price('basic', 1000));
    await sandboxOf(suite.app).sandbox.sendEvents();
    const types = (await events()).filter((event) => event.checkout_reference === reference).map(({ type }) => type);
    expect(types.toSorted()).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.finalized',
      'invoice.paid',
    ]);
    expect(await jobsOf(subscriptionId)).toEqual([billingSyncKind]);
    expect(await jobsOf(reference)).toEqual([onboardingKind]);
  });
});

describe('the events of the payment provider on the admin surface', () => {
  const list = (query: string, as: Account) =>
    suite.app.request({ method: 'GET', url: `/api/v1/admin/billing/events${query}`, headers: as.auth });
  const replay = (id: string, as: Account) =>
    suite.app.request({ method: 'POST', url: `/api/v1/admin/billing/events/${id}/replay`, headers: as.auth });

  test('a replayed event enqueues its work again and is audited', async () => {
    const subscription = `sub_${newId()}`;
    await postSigned(bodyOf({ subscription }));
    await takeJobs();
    const [event] = (await list(`?provider_subscription_id=${subscription}`, reader)).body.data;
    expect(event).toMatchObject({ type: 'invoice.paid', replayed_at: null });
    const answer = await replay(event.id, billingAdmin);
    expect(answer.status).toBe(200);
    expect(answer.body.data.replayed_at).not.toBeNull();
    expect(await jobsOf(subscription)).toEqual([billingSyncKind]);
    const audit = suite.app.services.platform.query.selectFrom('audit_logs').selectAll();
    const records = await audit.where('resource_id', '=', event.id).execute();
    expect(records).toMatchObject([{ event: 'PAYMENT_EVENT.REPLAYED', actor_id: billingAdmin.id }]);
  });

  test('replaying an unknown event is a 404, and billing_readonly cannot replay', async () => {
    const missing = await replay(newId(), billingAdmin);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'RESOURCE.NOT_FOUND']);
    expect((await replay(newId(), reader)).status).toBe(403);
  });
});

describe("the sandbox's clock", () => {
  const ask = (as: Account, payload?: object) =>
    suite.app.request({
      method: payload === undefined ? 'GET' : 'POST',
      url: '/api/v1/admin/billing/sandbox/clock',
      headers: as.auth,
      ...(payload && { payload }),
    });

  test("advancing the sandbox's clock performs what becomes due", async () => {
    const { subscriptionId } = await buy(suite.app, price('basic', 1000));
    const before = (await ask(reader)).body.data.now;
    const answer = await ask(billingAdmin, { advance_seconds: 40 * 86_400 });
    expect(Date.parse(answer.body.data.now) - Date.parse(before)).toBe(40 * 86_400_000);
    expect(await sandboxOf(suite.app).payments.listInvoices(subscriptionId)).toHaveLength(2);
    const to = '2027-06-01T00:00:00.000000Z';
    expect((await ask(billingAdmin, { to })).body.data.now).toBe(to);
    clock.advance(1000);
    expect((await ask(reader)).body.data.now).toBe('2027-06-01T00:00:01.000000Z');
  });

  test.each([
    {},
    { advance_seconds: 0 },
    { to: '2020-01-01T00:00:00Z' },
    { advance_seconds: 1, to: '2099-01-01T00:00:00Z' },
  ])("the sandbox's clock refuses the advance %j", async (payload) => {
    const answer = await ask(billingAdmin, payload);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION.FAILED']);
  });

  test("billing_readonly cannot advance the sandbox's clock", async () => {
    expect((await ask(reader, { advance_seconds: 1 })).status).toBe(403);
  });
});

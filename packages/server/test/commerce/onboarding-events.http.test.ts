import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { signedHeaders } from '../../src/payments/sandbox/events.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { cardInput } from '../payments/sandbox-data.ts';
import { createAdmin } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
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
const whole = { tenants: 1, memberships: 1, customers: 1, subscriptions: 1 };
let plan: string;
let signUp: SignUp;

beforeAll(async () => {
  plan = (await offerPlan(suite.app, await createAdmin(suite.app), [monthlyPrice])).code;
  signUp = await createSignUp(suite.app);
});

const statusOf = async (id: string) => (await signUp.get(`/${id}`)).body.data.status;
const times = <Result>(count: number, one: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

/** Sends an event of a checkout like the provider, with a new or a repeated event id. */
function sendCheckoutEvent(reference: string, subscription: string | null, id: string = newId()) {
  const object = { id: 'cs_1', subscription, reference };
  const type = 'checkout.session.completed';
  const created = Math.floor(Date.now() / 1000);
  const payload = JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
  const headers = signedHeaders(suite.app.services.keyring, payload, Date.now());
  return suite.app.request({ method: 'POST', url: '/webhooks/sandbox', payload, headers });
}

test('a payment on the page of the provider creates the tenant without another request', async () => {
  const { id, checkout_url } = await startSignUp(signUp, plan);
  const page = await suite.app.request({ method: 'GET', url: new URL(checkout_url).pathname });
  const [, action = ''] = /data-action="([^"]+)"/.exec(page.text) ?? [];
  const declined = await suite.app.request({ method: 'POST', url: action, payload: cardInput('declined') });
  expect(declined.status).toBeGreaterThanOrEqual(400);
  const paid = await suite.app.request({ method: 'POST', url: action, payload: cardInput('good') });
  expect(paid.body.data.redirect_url).toBe(`${suite.app.config.publicUrl}/welcome?onboarding=${id}`);
  // The event enqueues the provisioning, which enqueues the sync of the subscription.
  for (let round = 0; round < 3; round += 1) await runTenantJobs(suite.app);
  expect(await statusOf(id)).toBe('completed');
  expect(await countSignUpRows(suite.app, id)).toEqual(whole);
});

test('twenty events, the same twenty repeated, and twenty requests create one tenant', async () => {
  const { id } = await startSignUp(signUp, plan);
  await paySignUp(suite.app, id);
  const { provider_subscription_id: subscription } = await readSignUpRow(suite.app, id);
  const repeated = newId();
  const answers = await Promise.all([
    times(20, () => sendCheckoutEvent(id, subscription)),
    times(20, () => sendCheckoutEvent(id, subscription, repeated)),
    times(20, () => signUp.post(`/${id}/complete`)),
    runTenantJobs(suite.app),
    runTenantJobs(suite.app),
  ]);
  expect(new Set(answers.flatMap((some) => some ?? []).map(({ status }) => status))).toEqual(new Set([200]));
  for (let round = 0; round < 3; round += 1) await runTenantJobs(suite.app);
  await times(20, () => sendCheckoutEvent(id, subscription, repeated));
  await runTenantJobs(suite.app);
  expect(await statusOf(id)).toBe('completed');
  expect(await countSignUpRows(suite.app, id)).toEqual(whole);
});

test('events about an unpaid, unknown or canceled checkout have no effect', async () => {
  const open = await startSignUp(signUp, plan);
  const over = await startSignUp(signUp, plan);
  await signUp.post(`/${over.id}/cancel`);
  for (const id of [open.id, over.id, newId()]) expect((await sendCheckoutEvent(id, null)).status).toBe(200);
  await runTenantJobs(suite.app);
  expect([await statusOf(open.id), await statusOf(over.id)]).toEqual(['pending', 'canceled']);
  clock.advance(24 * 3_600_000 + 1000);
  await runTenantJobs(suite.app);
  expect(await statusOf(open.id)).toBe('expired');
});

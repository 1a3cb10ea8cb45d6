import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startBackground } from '../../src/background.ts';
import type { PlatformDb } from '../../src/db/database.ts';
import { newId } from '../../src/lib/ids.ts';
import { signedHeaders } from '../../src/payments/sandbox/events.ts';
import { seededRandom } from '../crash/random.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { card, sandboxOf } from '../payments/sandbox-data.ts';
import { useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { type BillingTenant, createSubscriber, monthlyAndYearly, type Offer, offerPlan } from './buyers.ts';

useClock();
const suite = useAdmin({ PAYMENT_PROVIDER: 'sandbox' });
let plan: Offer;

beforeAll(async () => {
  plan = await offerPlan(suite.app, suite.admin, monthlyAndYearly(3000));
});

async function subscriptionOf(buyer: BillingTenant) {
  const subscription = await sandboxOf(suite.app).payments.findSubscription(await buyer.subscriptionId());
  if (subscription === undefined) throw new Error('There is no subscription.');
  return subscription;
}

async function changeCard(buyer: BillingTenant, name: 'good' | 'failsLater'): Promise<void> {
  await sandboxOf(suite.app).sandbox.changeCard((await subscriptionOf(buyer)).customerId, card(name));
}

/** Returns a tenant that was suspended because its renewal failed, with the failed invoice. */
async function createDebtor() {
  const { payments, sandbox } = sandboxOf(suite.app);
  const buyer = await createSubscriber(suite.app, suite.admin, plan);
  await changeCard(buyer, 'failsLater');
  await sandbox.advanceClock({ to: (await subscriptionOf(buyer)).currentPeriodEndsAt });
  await buyer.settle();
  const { subscription } = (await buyer.bill('GET', '/overview')).body.data;
  await sandbox.advanceClock({ to: subscription.grace_ends_at });
  await runTenantJobs(suite.app);
  expect(await buyer.read()).toMatchObject({ status: 'suspended' });
  const [open] = await payments.listInvoices(await buyer.subscriptionId());
  return { buyer, invoiceId: open?.id ?? '' };
}

/** Returns a database whose responses arrive late and in another order, like those of several connections. */
function withLateResponses(platform: PlatformDb): PlatformDb {
  const random = seededRandom(1);
  return {
    ...platform,
    async transaction(work, options) {
      const result = await platform.transaction(work, options);
      await delay(random() * 20);
      return result;
    },
  };
}

/** Sends two events about a subscription to the payment webhook at once. */
async function postEvents(subscription: string): Promise<void> {
  const post = async (type: string) => {
    const object = { id: 'in_1', subscription, reference: null };
    const body = { id: newId(), object: 'event', type, created: 1_795_000_000, livemode: false, data: { object } };
    const payload = JSON.stringify(body);
    const headers = signedHeaders(suite.app.services.keyring, payload, Date.now());
    expect((await suite.app.request({ method: 'POST', url: '/webhooks/sandbox', payload, headers })).status).toBe(200);
  };
  await Promise.all([post('invoice.paid'), post('customer.subscription.updated')]);
}

/** Returns the kinds of the jobs that run, or that wait for the end of a lease. */
async function leasedKinds(): Promise<string[]> {
  const rows = suite.app.services.platform.query.selectFrom('jobs').select('kind').where('status', '=', 'running');
  return (await rows.execute()).map(({ kind }) => kind);
}

test('a suspended tenant that pays is active, and all work of its events is done, without waiting for a lease', async () => {
  const { services } = suite.app;
  const { buyer, invoiceId } = await createDebtor();
  const background = startBackground({ ...services, platform: withLateResponses(services.platform) });
  onTestFinished(() => background.stop());
  await changeCard(buyer, 'good');
  await sandboxOf(suite.app).payments.retryInvoice(invoiceId);
  const subscription = await buyer.subscriptionId();
  const random = seededRandom(2);
  for (let round = 0; round < 60; round += 1) {
    await postEvents(subscription);
    await delay(random() * 30);
  }
  // The service's clock stands still, so no lease ends.
  await expect.poll(() => buyer.read()).toMatchObject({ status: 'active' });
  await expect.poll(leasedKinds).toEqual([]);
});

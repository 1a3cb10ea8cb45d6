import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { billingSyncJob } from '../../src/features/commerce/billing/billing-job.ts';
import { onboardingKind } from '../../src/features/commerce/onboarding/payment-service.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import { buy, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp, useClock } from '../support/harness.ts';
import {
  type Action,
  act,
  deliver,
  type Fate,
  fates,
  histories,
  LossyTransport,
  plans,
  takeEvents,
} from './event-histories.ts';

useClock();

/** One service per order of delivery. The same history happens in both. */
interface Side {
  readonly app: TestApp;
  readonly admin: Account;
  runDueJobs(): Promise<void>;
}

const sides: Side[] = [];

async function startSide(): Promise<Side> {
  const app = await startApp(await createSite(), { PAYMENT_PROVIDER: 'sandbox' });
  const { services } = app;
  const jobs = [billingSyncJob(services)];
  const admin = await createAdmin(app);
  for (const { planCode: code, planName: name, interval, currency, amount } of plans) {
    const payload = { code, name, prices: [{ interval, currency, amount }] };
    const made = await app.request({
      method: 'POST',
      url: '/api/v1/admin/catalog/plans',
      headers: admin.auth,
      payload,
    });
    expect(made.status, made.text).toBe(201);
  }
  const runDueJobs = () => createJobRunner({ ...services, metrics: services.metrics.jobs, jobs }).runDue();
  return { app, admin, runDueJobs };
}

beforeAll(async () => {
  sides.push(await startSide(), await startSide());
});

afterAll(async () => {
  for (const { app } of sides) await stopApp(app).finally(() => app.site.remove());
});

/** Creates a tenant that buys a plan. */
async function buyForTenant({ app, admin }: Side) {
  const { id: tenantId } = await createTenant(app, admin);
  const bought = await buy(app, plans[0]);
  const at = app.services.clock.now();
  const customer = { tenant_id: tenantId, provider: 'sandbox' as const, provider_customer_id: bought.customerId };
  const row = { ...customer, created_at: at, updated_at: at };
  await app.services.platform.query.insertInto('billing_customers').values(row).execute();
  return { tenantId, bought };
}

/** Returns the stored state of a tenant's subscription, without the values that differ between two services. */
async function syncedStateOf({ app }: Side, tenantId: string) {
  const { query } = app.services.platform;
  const subscriptions = query
    .selectFrom('subscriptions')
    .select(['status', 'plan_code', 'interval', 'currency', 'amount', 'current_period_starts_at'])
    .select(['current_period_ends_at', 'cancel_at_period_end', 'canceled_at', 'pending_plan_code', 'pending_interval'])
    .select(['pending_amount', 'pending_at', 'past_due_since', 'grace_ends_at'])
    .where('tenant_id', '=', tenantId);
  const invoices = query
    .selectFrom('invoices')
    .select(['number', 'status', 'currency', 'subtotal', 'tax', 'total', 'amount_due', 'amount_paid', 'lines_json'])
    .select(['attempt_count', 'next_attempt_at', 'due_at', 'finalized_at', 'paid_at'])
    .where('tenant_id', '=', tenantId)
    .orderBy('number');
  const tenants = query
    .selectFrom('tenants')
    .select(['status', 'plan_code', 'suspended_for'])
    .where('id', '=', tenantId);
  return {
    subscriptions: await subscriptions.execute(),
    invoices: await invoices.execute(),
    tenant: await tenants.executeTakeFirst(),
  };
}

/** Performs a history on one service; `carry` delivers its events. */
async function play(
  side: Side,
  history: readonly Action[],
  carry: (step: number, bodies: readonly string[]) => Promise<void>,
) {
  const { app } = side;
  const { tenantId, bought } = await buyForTenant(side);
  await carry(0, await takeEvents(app));
  for (const [step, one] of history.entries()) {
    await act(app, bought, one, step);
    await carry(step, await takeEvents(app));
  }
  return { tenantId, bought };
}

/** Delivers one later event of the subscription, whatever was lost before. */
async function deliverLaterEvent({ app, runDueJobs }: Side, customerId: string): Promise<void> {
  const details = { name: 'Acme', email: 'billing@example.com', address: null, taxId: null };
  await sandboxOf(app).payments.updateCustomer(customerId, details);
  for (const body of await takeEvents(app)) await deliver(app, body);
  await runDueJobs();
}

/** Cancels the subscription of a history and deletes its events, so that they do not affect the next history. */
async function end({ app }: Side, subscriptionId: string): Promise<void> {
  await sandboxOf(app).payments.cancelNow(subscriptionId);
  await takeEvents(app);
}

async function playInOrder(side: Side, history: readonly Action[]) {
  const played = await play(side, history, async (_step, bodies) => {
    for (const body of bodies) {
      await deliver(side.app, body);
      await side.runDueJobs();
    }
  });
  return played;
}

async function playInDisorder(side: Side, history: readonly Action[], eventFates: readonly Fate[]) {
  const transport = new LossyTransport(eventFates);
  const played = await play(side, history, async (step, bodies) => {
    transport.send(bodies, step);
    await transport.arrive(side.app, step, side.runDueJobs);
  });
  await transport.arrive(side.app, Number.POSITIVE_INFINITY, side.runDueJobs);
  return played;
}

/** Both engines use the same seed: PostgreSQL runs the first 5 of the 10 histories. */
const runs = engine === 'sqlite' ? 10 : 5;

test('shuffled, repeated and lost events lead to the same state as ordered events, after one later event', async () => {
  const [ordered, disordered] = sides;
  if (ordered === undefined || disordered === undefined) throw new Error('The two services exist only inside tests.');
  const property = fc.asyncProperty(histories, fates, async (history, eventFates) => {
    const inOrder = await playInOrder(ordered, history);
    const inDisorder = await playInDisorder(disordered, history, eventFates);
    await deliverLaterEvent(ordered, inOrder.bought.customerId);
    await deliverLaterEvent(disordered, inDisorder.bought.customerId);
    const expected = await syncedStateOf(ordered, inOrder.tenantId);
    expect(expected.subscriptions).toHaveLength(1);
    expect(await syncedStateOf(disordered, inDisorder.tenantId)).toEqual(expected);
    // A checkout is continued even when its own event was lost.
    const jobs = disordered.app.services.platform.query.selectFrom('jobs').select('kind');
    const ofCheckout = await jobs.where('subject_id', '=', inDisorder.bought.reference).execute();
    expect(ofCheckout).toEqual([{ kind: onboardingKind }]);
    await end(ordered, inOrder.bought.subscriptionId);
    await end(disordered, inDisorder.bought.subscriptionId);
  });
  // Shrinking a failing history would take minutes.
  await fc.assert(property, { numRuns: runs, seed: 20_261_120, endOnFailure: true });
});

import { type Kysely, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { paymentEventRetention } from '../../src/features/commerce/payment-events/retention.ts';
import { platformRetentionJobs } from '../../src/features/tenant-core/retention/retention-job.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import { createJobSweep } from '../../src/jobs/sweep.ts';
import { analyze, prepareToFill } from '../lists/many-rows.ts';
import { at, empty, insertMany, manyRows, microseconds, numbered, text, zero } from '../lists/numbered-rows.ts';
import { fillPaymentEvents } from '../lists/platform-rows.ts';
import { type PlanWatch, watchPlans } from '../lists/query-plans.ts';
import { buy, card, dayMs, newCheckout, price, sandboxOf } from '../payments/sandbox-data.ts';
import { useApp, useClock } from '../support/harness.ts';

const clock = useClock('2026-01-20T00:00:00.000Z');
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
const tables = [
  ...['payment_events', 'sandbox_accounts', 'sandbox_checkouts', 'sandbox_events', 'sandbox_invoices'],
  'sandbox_requests',
];
const watch: PlanWatch = { rules: undefined, problems: [] };

beforeAll(async () => {
  const db = suite.app.services.platform.query as unknown as Kysely<never>;
  await prepareToFill(db);
  await fillPaymentEvents(db);
  const march = sql`'2026-03-02T00:00:00.' || ${microseconds}`;
  const customer = { customer_id: numbered('cus_'), subscription_id: numbered('sub_') };
  const later = sql`'2100-01-01T00:00:00.' || ${microseconds}`;
  await insertMany(db, 'sandbox_accounts', manyRows, { ...customer, state_json: empty, due_at: later });
  await insertMany(db, 'sandbox_invoices', manyRows, {
    id: numbered('in_'),
    ...customer,
    status: text('open'),
    state_json: empty,
    position: at,
  });
  const checkout = { id: numbered('cs_'), reference: numbered('ref_'), status: text('open'), terms_json: empty };
  await insertMany(db, 'sandbox_checkouts', manyRows, { ...checkout, created_at: at, due_at: later });
  await insertMany(db, 'sandbox_events', manyRows, {
    id: numbered('evt_'),
    body: empty,
    attempts: zero,
    created_at: march,
  });
  await insertMany(db, 'sandbox_requests', manyRows, { key: numbered('key_'), created_at: march });
  await analyze(db, tables);
  watchPlans(db, watch);
});

/** Queries for the first due row and the oldest row: their limit makes a scan short. */
const scans = ['sandbox_accounts_due_at', 'sandbox_checkouts_due_at', 'sandbox_events_due_at'];

async function problemsOf(work: () => Promise<unknown>): Promise<string[]> {
  watch.problems = [];
  watch.rules = { bigTables: new Set(tables), scans };
  await work();
  watch.rules = undefined;
  return watch.problems;
}

test('the sandbox reads no rows of other customers', async () => {
  const { sandbox, payments } = sandboxOf(suite.app);
  const problems = await problemsOf(async () => {
    const { subscriptionId, customerId } = await buy(suite.app, price('basic', 1000), 'failsLater');
    await sandbox.advanceClock({ byMs: 32 * dayMs });
    const [invoice] = await payments.listInvoices(subscriptionId);
    await sandbox.changeCard(customerId, card('good'));
    await payments.retryInvoice(invoice?.id ?? '');
    await payments.changePlan(subscriptionId, price('pro', 3000), 'now', 'click');
    await payments.addCredit(customerId, { amount: 1, currency: 'eur', reason: 'sorry' }, 'key');
    const { id } = await payments.createCheckout(newCheckout(price('basic', 1000)));
    await payments.expireCheckout(id);
    await sandbox.sendEvents();
  });
  expect(problems).toEqual([]);
});

test('the daily retention deletes all old events by indexes', async () => {
  const { services } = suite.app;
  const retention = { 'payment-event-retention': paymentEventRetention };
  const jobs = [...platformRetentionJobs(services, retention), ...sandboxOf(suite.app).sandbox.jobs];
  await createJobSweep({ ...services, jobs }).sweepNext();
  // A tenth of each table is past its retention period.
  clock.set('2026-04-01T00:00:00.002Z');
  const runner = createJobRunner({ ...services, metrics: services.metrics.jobs, jobs });
  expect(await problemsOf(() => runner.runDue())).toEqual([]);
  const { query } = services.platform;
  const before = (column: string, moment: string) => sql<boolean>`${sql.ref(column)} < ${moment}`;
  const events = query.selectFrom('payment_events').select('id');
  expect(await events.where(before('received_at', '2026-01-01T00:00:00.002000Z')).execute()).toEqual([]);
  for (const table of ['sandbox_events', 'sandbox_requests'] as const) {
    const old = query.selectFrom(table).selectAll().where(before('created_at', '2026-03-02T00:00:00.002000Z'));
    expect(await old.execute()).toEqual([]);
  }
});

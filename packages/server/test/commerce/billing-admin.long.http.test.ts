import { beforeAll, describe, expect, test } from 'vitest';
import { platformSubject } from '../../src/jobs/job.ts';
import { enqueueJob } from '../../src/jobs/queries.ts';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { card, dayMs, sandboxOf } from '../payments/sandbox-data.ts';
import { useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import {
  type BillingTenant,
  createBillingTenant,
  createSubscriber,
  monthlyAndYearly,
  type Offer,
  offerPlan,
} from './buyers.ts';

const clock = useClock();
const suite = useAdmin({ PAYMENT_PROVIDER: 'sandbox' });
let plan: Offer;

beforeAll(async () => {
  plan = await offerPlan(suite.app, suite.admin, monthlyAndYearly(3000, 'chf'));
});

const send = (method: 'GET' | 'POST', path: string, payload?: object) => suite.asAdmin(method, path, payload);
const subscribe = () => createSubscriber(suite.app, suite.admin, plan);
const eventsOf = async (id: string) =>
  (await send('GET', `/audit?resource_id=${id}&limit=100`)).body.data.map((row: { event: string }) => row.event);

/** Creates a subscription with a failed renewal, and returns it with its open invoice. */
async function overdue(): Promise<{ buyer: BillingTenant; invoiceId: string }> {
  const buyer = await subscribe();
  const { payments, sandbox } = sandboxOf(suite.app);
  const id = await buyer.subscriptionId();
  const subscription = await payments.findSubscription(id);
  await sandbox.changeCard(subscription?.customerId ?? '', card('failsLater'));
  await sandbox.advanceClock({ to: subscription?.currentPeriodEndsAt ?? '' });
  await buyer.settle();
  const [open] = (await send('GET', `/invoices?tenant_id=${buyer.tenant.id}&status=open`)).body.data;
  return { buyer, invoiceId: open.id };
}

describe('billing lists for admins', () => {
  test('admins list the subscriptions and invoices of all tenants with every filter', async () => {
    const buyer = await subscribe();
    const { id: tenantId } = buyer.tenant;
    const [subscription] = (await send('GET', `/subscriptions?tenant_id=${tenantId}`)).body.data;
    expect(subscription).toMatchObject({
      tenant_id: tenantId,
      tenant_name: 'Acme',
      plan_code: plan.code,
      status: 'active',
      amount: 3000,
    });
    expect((await send('GET', `/subscriptions/${subscription.id}`)).body.data).toEqual(subscription);
    const filtered = await send('GET', `/subscriptions?plan_code=${plan.code}&status=active&tenant_id=${tenantId}`);
    expect(filtered.body.data).toEqual([subscription]);
    expect((await send('GET', `/subscriptions?tenant_id=${tenantId}&status=canceled`)).body.data).toEqual([]);
    const [invoice] = (await send('GET', `/invoices?tenant_id=${tenantId}`)).body.data;
    expect(invoice).toMatchObject({ tenant_name: 'Acme', subscription_id: subscription.id, status: 'paid' });
    expect((await send('GET', `/invoices/${invoice.id}`)).body.data).toEqual(invoice);
    for (const path of ['/subscriptions', '/invoices']) {
      expect((await send('GET', `${path}/${newId()}`)).body.error.code).toBe('RESOURCE.NOT_FOUND');
    }
  });

  test('the revenue overview returns revenue, overdue amounts and churn per currency and plan', async () => {
    const own = await offerPlan(suite.app, suite.admin, monthlyAndYearly(1200, 'nok'));
    const buyers = [];
    for (let count = 1; count <= 3; count += 1) buyers.push(await createSubscriber(suite.app, suite.admin, own));
    await buyers[1]?.bill('PUT', '/plan', { plan_code: own.code, interval: 'year' });
    const { payments } = sandboxOf(suite.app);
    await payments.cancelNow((await buyers[2]?.subscriptionId()) ?? '');
    await buyers[2]?.settle();
    const overview = (await send('GET', '/billing/overview')).body.data;
    expect(overview).toMatchObject({ orphans: 0, has_sandbox: true });
    const ofCurrency = overview.currencies.find((row: { currency: string }) => row.currency === 'nok');
    expect(ofCurrency).toMatchObject({ mrr: 2200, arr: 26400, active: 2, churned: 1, churn_rate: 1 / 3 });
    const ofPlan = overview.by_plan.find((row: { plan_code: string }) => row.plan_code === own.code);
    expect(ofPlan).toEqual({ plan_code: own.code, currency: 'nok', subscriptions: 2, mrr: 2200 });
  });

  test('the dunning list returns the open invoices and the mailed stages', async () => {
    const { buyer, invoiceId } = await overdue();
    const [first] = (await send('GET', '/billing/dunning?limit=1')).body.data;
    expect(first).toMatchObject({
      tenant_id: buyer.tenant.id,
      tenant_name: 'Acme',
      tenant_status: 'active',
      open_invoice_ids: [invoiceId],
      open_amount: 3000,
      stages_told: ['failed'],
    });
  });
});

describe('actions on an open invoice', () => {
  test.each([
    ['void', 'void', 'INVOICE.VOIDED'],
    ['mark-uncollectible', 'uncollectible', 'INVOICE.MARKED_UNCOLLECTIBLE'],
  ])('a repeated %s makes an open invoice %s once and keeps its number', async (action, status, event) => {
    const { invoiceId } = await overdue();
    const { number } = (await send('GET', `/invoices/${invoiceId}`)).body.data;
    for (let time = 1; time <= 2; time += 1) {
      const answer = await send('POST', `/billing/invoices/${invoiceId}/${action}`);
      expect([answer.status, answer.body.data?.status, answer.body.data?.number]).toEqual([200, status, number]);
    }
    expect((await eventsOf(invoiceId)).filter((one: string) => one === event)).toHaveLength(1);
    const again = await send('POST', `/billing/invoices/${invoiceId}/retry`);
    expect([again.status, again.body.error?.code]).toEqual([409, 'INVOICE.TRANSITION_INVALID']);
  });

  test('a retry collects an open invoice, or responds with 402 when the card is declined', async () => {
    const { buyer, invoiceId } = await overdue();
    const declined = await send('POST', `/billing/invoices/${invoiceId}/retry`);
    expect([declined.status, declined.body.error.code]).toEqual([402, 'BILLING.PAYMENT_FAILED']);
    const { payments, sandbox } = sandboxOf(suite.app);
    const subscription = await payments.findSubscription(await buyer.subscriptionId());
    await sandbox.changeCard(subscription?.customerId ?? '', card('good'));
    const paid = await send('POST', `/billing/invoices/${invoiceId}/retry`);
    expect(paid.body.data).toMatchObject({ status: 'paid', amount_paid: 3000 });
    const [row] = (await send('GET', `/subscriptions?tenant_id=${buyer.tenant.id}`)).body.data;
    expect(row).toMatchObject({ status: 'active', past_due_since: null });
  });

  test('a paid invoice cannot be voided, and an unknown invoice is a 404', async () => {
    const buyer = await subscribe();
    const [{ id }] = (await send('GET', `/invoices?tenant_id=${buyer.tenant.id}`)).body.data;
    expect((await send('POST', `/billing/invoices/${id}/void`)).body.error.code).toBe('INVOICE.TRANSITION_INVALID');
    expect((await send('POST', `/billing/invoices/${newId()}/void`)).status).toBe(404);
  });
});

describe('credits', () => {
  const credit = (buyer: BillingTenant, fields: object = {}) =>
    send('POST', '/billing/credits', {
      tenant_id: buyer.tenant.id,
      amount: 500,
      currency: 'chf',
      reason: 'An outage',
      ...fields,
    });

  test('concurrent requests with one reference grant a credit once, and it lowers the next invoice', async () => {
    const buyer = await subscribe();
    const answers = await Promise.all(Array.from({ length: 5 }, () => credit(buyer, { reference: 'ticket-1' })));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    const overview = await buyer.bill('GET', '/overview');
    expect(overview.body.data.next_invoice).toMatchObject({ amount_due: 2500 });
    expect(await eventsOf(answers[0]?.body.data.id)).toEqual(['BILLING.CREDIT_GIVEN']);
    const other = await credit(buyer, { reference: 'ticket-1', amount: 900 });
    expect([other.status, other.body.error.code]).toEqual([422, 'BILLING.REFERENCE_REUSED']);
    expect((await credit(buyer)).body.data.id).not.toBe((await credit(buyer)).body.data.id);
  });

  test.each([
    ['an unknown currency', { currency: 'zzz' }, 'currency'],
    ['an unknown tenant', { tenant_id: '019363e4-0000-7000-8000-000000000000' }, 'tenant_id'],
  ])('a credit with %s is refused', async (_what, fields, field) => {
    const answer = await credit(await createBillingTenant(suite.app, suite.admin), fields);
    expect([answer.status, answer.body.error.details?.[0]?.field]).toEqual([422, field]);
  });

  test('a credit for a tenant that never bought a plan is refused', async () => {
    const answer = await credit(await createBillingTenant(suite.app, suite.admin));
    expect([answer.status, answer.body.error.code]).toEqual([409, 'BILLING.NO_SUBSCRIPTION']);
  });
});

test('the daily reconciliation finds changes and payments whose events were all lost', async () => {
  const subscribed = await subscribe();
  const paid = await createBillingTenant(suite.app, suite.admin);
  const chosen = await paid.bill('PUT', '/plan', { plan_code: plan.code });
  await paid.pay(chosen.body.data.checkout_url);
  await sandboxOf(suite.app).payments.cancelNow(await subscribed.subscriptionId());
  const { platform, clock: now } = suite.app.services;
  await platform.query.deleteFrom('jobs').where('kind', 'in', ['billing-sync', 'dunning', 'onboarding']).execute();
  await platform.query.deleteFrom('sandbox_events').execute();
  clock.advance(dayMs);
  const at = now.now();
  await platform.transaction((tx) =>
    enqueueJob(tx, { subjectId: platformSubject, kind: 'billing-reconciliation', dueAt: at }, at),
  );
  await runTenantJobs(suite.app);
  const planOf = async ({ tenant }: BillingTenant) => {
    const row = platform.query.selectFrom('tenants').select('plan_code').where('id', '=', tenant.id);
    return (await row.executeTakeFirst())?.plan_code;
  };
  expect(await planOf(paid)).toBe(plan.code);
  expect(await planOf(subscribed)).toBe('free');
});

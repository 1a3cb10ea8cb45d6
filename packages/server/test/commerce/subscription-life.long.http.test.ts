import { beforeAll, describe, expect, test } from 'vitest';
import type { SubscriptionStatus } from '../../src/db/tables/platform/billing.ts';
import { addDays } from '../../src/lib/duration.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { card, dayMs, sandboxOf } from '../payments/sandbox-data.ts';
import { createUser, joinTenant, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields } from '../support/licensing-catalog.ts';
import { mailsTo } from '../support/mails.ts';
import {
  type BillingTenant,
  createBillingTenant,
  createSubscriber,
  monthlyAndYearly,
  type Offer,
  offerPlan,
} from './buyers.ts';

useClock();
const suite = useAdmin({ PAYMENT_PROVIDER: 'sandbox' });
let basic: Offer;
let pro: Offer;

beforeAll(async () => {
  basic = await offerPlan(suite.app, suite.admin, monthlyAndYearly(1000));
  pro = await offerPlan(suite.app, suite.admin, monthlyAndYearly(3000));
});

const subscribe = (plan: Offer) => createSubscriber(suite.app, suite.admin, plan);
const advance = (days: number) => sandboxOf(suite.app).sandbox.advanceClock({ byMs: days * dayMs });
const overviewOf = async (buyer: BillingTenant) => (await buyer.bill('GET', '/overview')).body.data;
const invoicesOf = async (buyer: BillingTenant) => (await buyer.bill('GET', '/invoices')).body.data;
const choose = (buyer: BillingTenant, plan: Offer, interval = 'month') =>
  buyer.bill('PUT', '/plan', { plan_code: plan.code, interval });

/** Advances the sandbox's clock to the end of the period. */
async function endPeriod(buyer: BillingTenant): Promise<void> {
  const { payments, sandbox } = sandboxOf(suite.app);
  const subscription = await payments.findSubscription(await buyer.subscriptionId());
  if (subscription === undefined) throw new Error('There is no subscription.');
  await sandbox.advanceClock({ to: subscription.currentPeriodEndsAt });
  await buyer.settle();
}

async function changeCard(buyer: BillingTenant, name: 'good' | 'failsLater'): Promise<void> {
  const { payments, sandbox } = sandboxOf(suite.app);
  const { customerId } = (await payments.findSubscription(await buyer.subscriptionId())) ?? { customerId: '' };
  await sandbox.changeCard(customerId, card(name));
}

describe("an admin's change of the plan", () => {
  const setPlan = (buyer: BillingTenant, plan_code: string) =>
    suite.asAdmin('PATCH', `/tenants/${buyer.tenant.id}`, { plan_code });

  test('is refused while a subscription of the tenant runs or may run again, and allowed otherwise', async () => {
    const buyer = await subscribe(pro);
    const setStatus = (status: SubscriptionStatus) =>
      suite.app.services.platform.query
        .updateTable('subscriptions')
        .set({ status })
        .where('tenant_id', '=', buyer.tenant.id)
        .execute();
    for (const status of ['trialing', 'active', 'past_due', 'unpaid', 'paused'] as const) {
      await setStatus(status);
      const refused = await setPlan(buyer, basic.code);
      expect([status, refused.status, refused.body.error?.code]).toEqual([
        status,
        409,
        'BILLING.MANAGED_BY_SUBSCRIPTION',
      ]);
      expect(await buyer.read()).toMatchObject({ plan_code: pro.code });
      expect((await setPlan(buyer, pro.code)).status).toBe(200);
    }
    for (const status of ['incomplete', 'incomplete_expired', 'canceled'] as const) {
      await setStatus(status);
      for (const { code } of [basic, pro]) {
        const changed = await setPlan(buyer, code);
        expect([status, changed.status, changed.body.data?.plan_code]).toEqual([status, 200, code]);
      }
    }
  });

  test('is allowed for a tenant without a subscription, and audited', async () => {
    const buyer = await createBillingTenant(suite.app, suite.admin);
    expect((await setPlan(buyer, pro.code)).body.data.plan_code).toBe(pro.code);
    const [record] = (await suite.asAdmin('GET', `/audit?event=TENANT.UPDATED&resource_id=${buyer.tenant.id}`)).body
      .data;
    expect(record.changes).toEqual([{ field: 'plan_code', old: 'free', new: pro.code }]);
  });
});

describe('buying', () => {
  test('a tenant on the free plan gets a checkout, and has the new plan once it is paid', async () => {
    const buyer = await createBillingTenant(suite.app, suite.admin);
    const chosen = await choose(buyer, pro);
    expect(chosen.body.data).toMatchObject({ takes_effect: 'checkout', subscription: null });
    expect(await buyer.read()).toMatchObject({ plan_code: 'free' });
    await buyer.pay(chosen.body.data.checkout_url);
    await buyer.settle();
    expect(await buyer.read()).toMatchObject({ plan_code: pro.code, status: 'active' });
    const overview = await overviewOf(buyer);
    expect(overview).toMatchObject({
      plan: { code: pro.code },
      usage: { api_keys: { limit: null, used: 1 }, members: { used: 1 } },
      subscription: { status: 'active', amount: 3000, cancel_at_period_end: false },
      next_invoice: { amount_due: 3000, currency: 'usd', at: overview.subscription.current_period_ends_at },
      provider_available: true,
    });
    expect(await invoicesOf(buyer)).toMatchObject([{ status: 'paid', total: 3000 }]);
  });

  test('concurrent requests for a plan open one checkout, and another plan expires it', async () => {
    const buyer = await createBillingTenant(suite.app, suite.admin);
    const answers = await Promise.all(Array.from({ length: 6 }, () => choose(buyer, pro)));
    const urls = new Set(answers.map(({ body }) => body.data.checkout_url));
    expect(urls.size).toBe(1);
    const other = await choose(buyer, basic);
    expect(urls.has(other.body.data.checkout_url)).toBe(false);
    await expect(buyer.pay([...urls][0])).rejects.toMatchObject({ reason: 'refused' });
    await buyer.pay(other.body.data.checkout_url);
    const late = await choose(buyer, pro);
    expect([late.status, late.body.error.code]).toEqual([409, 'BILLING.REFUSED']);
    expect(await buyer.read()).toMatchObject({ plan_code: basic.code });
  });

  test('an unknown plan, interval, currency or field is refused', async () => {
    const buyer = await createBillingTenant(suite.app, suite.admin);
    for (const [wanted, field] of [
      [{ plan_code: 'nothing-of-this-name' }, 'plan_code'],
      [{ plan_code: pro.code, currency: 'eur' }, 'interval'],
      [{ plan_code: pro.code, interval: 'week' }, 'interval'],
      [{ plan_code: pro.code, amount: 1 }, 'amount'],
    ] as const) {
      const answer = await buyer.bill('PUT', '/plan', wanted);
      expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
    }
  });

  test('an archived plan cannot be bought, and its subscribers keep it', async () => {
    const plan = await offerPlan(suite.app, suite.admin, monthlyAndYearly(2000));
    const buyer = await subscribe(plan);
    await suite.asAdmin('PUT', `/catalog/plans/${plan.id}`, { archived: true });
    const answer = await choose(await createBillingTenant(suite.app, suite.admin), plan);
    expect(answer.status).toBe(422);
    await endPeriod(buyer);
    expect(await overviewOf(buyer)).toMatchObject({ plan: { code: plan.code }, subscription: { amount: 2000 } });
  });

  test('a new price applies to new purchases, and a subscription keeps its own', async () => {
    const plan = await offerPlan(suite.app, suite.admin, monthlyAndYearly(2000));
    const buyer = await subscribe(plan);
    const prices = [{ interval: 'month', currency: 'usd', amount: 5000 }];
    await suite.asAdmin('PUT', `/catalog/plans/${plan.id}`, { prices });
    await endPeriod(buyer);
    expect((await invoicesOf(buyer)).map(({ total }: { total: number }) => total)).toEqual([2000, 2000]);
    expect((await choose(buyer, plan)).body.data).toMatchObject({ takes_effect: 'unchanged' });
  });
});

describe('a plan change', () => {
  test.each([
    ['plan and plan_code together', 'plan', (code: string) => `?plan=${code}&plan_code=${code}`],
    ['neither plan nor plan_code', 'plan_code', () => ''],
  ])('a preview with %s is refused by the name of the field', async (_title, field, queryOf) => {
    const buyer = await subscribe(basic);
    const answer = await buyer.bill('GET', `/plan-preview${queryOf(pro.code)}`);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION.FAILED']);
    expect(badFields(answer)).toEqual([field]);
  });

  test('an upgrade takes effect now and charges the previewed amount', async () => {
    const buyer = await subscribe(basic);
    await advance(10);
    const preview = await buyer.bill('GET', `/plan-preview?plan=${pro.code}&interval=month`);
    expect(preview.body.data).toMatchObject({ takes_effect: 'now', currency: 'usd' });
    const chosen = await choose(buyer, pro);
    expect(chosen.body.data).toMatchObject({
      takes_effect: 'now',
      subscription: { plan_code: pro.code, amount: 3000 },
    });
    expect(await buyer.read()).toMatchObject({ plan_code: pro.code });
    const [invoice] = await invoicesOf(buyer);
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: preview.body.data.amount_due });
    expect(invoice.amount_paid).toBeGreaterThan(0);
    expect(invoice.amount_paid).toBeLessThan(2000);
  });

  test('concurrent requests for one upgrade charge once', async () => {
    const buyer = await subscribe(basic);
    await advance(3);
    const answers = await Promise.all(Array.from({ length: 6 }, () => choose(buyer, pro)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await invoicesOf(buyer)).toHaveLength(2);
  });

  test('a second upgrade after a downgrade is charged again', async () => {
    const buyer = await subscribe(basic);
    await choose(buyer, pro);
    await choose(buyer, basic);
    await endPeriod(buyer);
    expect(await buyer.read()).toMatchObject({ plan_code: basic.code });
    await advance(1);
    expect((await choose(buyer, pro)).body.data).toMatchObject({ subscription: { plan_code: pro.code } });
    expect(await invoicesOf(buyer)).toHaveLength(4);
  });

  test('a declined upgrade changes nothing, and succeeds with a working card', async () => {
    const buyer = await subscribe(basic);
    await changeCard(buyer, 'failsLater');
    await advance(3);
    for (let time = 1; time <= 2; time += 1) {
      const declined = await choose(buyer, pro);
      expect([declined.status, declined.body.error.code]).toEqual([402, 'BILLING.PAYMENT_FAILED']);
    }
    expect(await buyer.read()).toMatchObject({ plan_code: basic.code });
    expect(await invoicesOf(buyer)).toHaveLength(1);
    await changeCard(buyer, 'good');
    expect((await choose(buyer, pro)).status).toBe(200);
    expect(await buyer.read()).toMatchObject({ plan_code: pro.code });
  });

  test('a downgrade takes effect when the period ends, and the current plan withdraws it', async () => {
    const buyer = await subscribe(pro);
    const preview = await buyer.bill('GET', `/plan-preview?plan=${basic.code}`);
    expect(preview.body.data).toMatchObject({ takes_effect: 'period_end', amount_due: 1000 });
    const later = {
      takes_effect: 'period_end',
      subscription: { plan_code: pro.code, pending_change: { amount: 1000 } },
    };
    expect((await choose(buyer, basic)).body.data).toMatchObject(later);
    expect((await choose(buyer, pro)).body.data).toMatchObject({
      takes_effect: 'unchanged',
      subscription: { pending_change: null },
    });
    expect((await choose(buyer, basic)).body.data).toMatchObject(later);
    await endPeriod(buyer);
    expect(await buyer.read()).toMatchObject({ plan_code: basic.code });
    expect((await invoicesOf(buyer)).map(({ total }: { total: number }) => total)).toEqual([1000, 3000]);
  });

  test('a change from month to year takes effect now, and the change back when the year ends', async () => {
    const buyer = await subscribe(basic);
    expect((await choose(buyer, basic, 'year')).body.data).toMatchObject({
      takes_effect: 'now',
      subscription: { interval: 'year', amount: 10000 },
    });
    expect((await choose(buyer, basic, 'month')).body.data).toMatchObject({
      takes_effect: 'period_end',
      subscription: { interval: 'year', pending_change: { interval: 'month' } },
    });
  });
});

describe('a cancellation', () => {
  test('a cancellation takes effect with the period, can be withdrawn, and leaves the free plan', async () => {
    const buyer = await subscribe(pro);
    const end = (cancels: boolean) => buyer.bill('PUT', '/subscription', { cancel_at_period_end: cancels });
    expect((await end(true)).body.data).toMatchObject({ cancel_at_period_end: true, status: 'active' });
    expect((await overviewOf(buyer)).next_invoice).toBe(null);
    expect((await end(false)).body.data).toMatchObject({ cancel_at_period_end: false });
    await endPeriod(buyer);
    expect(await buyer.read()).toMatchObject({ plan_code: pro.code });
    const free = await buyer.bill('PUT', '/plan', { plan_code: 'free' });
    expect(free.body.data).toMatchObject({ takes_effect: 'period_end', subscription: { cancel_at_period_end: true } });
    await endPeriod(buyer);
    expect(await buyer.read()).toMatchObject({ plan_code: 'free', status: 'active' });
    expect(await overviewOf(buyer)).toMatchObject({ subscription: null, next_invoice: null });
    expect((await end(true)).body.error.code).toBe('BILLING.NO_SUBSCRIPTION');
    expect((await choose(buyer, basic)).body.data.takes_effect).toBe('checkout');
  });
});

test('the subscription of a closed tenant is canceled', async () => {
  const buyer = await subscribe(pro);
  const url = `/api/v1/admin/tenants/${buyer.tenant.id}`;
  const closing = { method: 'PATCH', url, headers: suite.admin.auth, payload: { status: 'closed' } } as const;
  expect((await suite.app.request(closing)).status).toBe(200);
  await runTenantJobs(suite.app);
  const { payments } = sandboxOf(suite.app);
  expect(await payments.findSubscription(await buyer.subscriptionId())).toMatchObject({ status: 'canceled' });
  const list = { method: 'GET', url: `/api/v1/admin/subscriptions?tenant_id=${buyer.tenant.id}` } as const;
  const { body } = await suite.app.request({ ...list, headers: suite.admin.auth });
  expect(body.data).toMatchObject([{ status: 'canceled' }]);
  expect(await buyer.read()).toMatchObject({ status: 'closed' });
});

describe('a failed renewal', () => {
  test('a failed renewal suspends after the grace period by the clock alone, and a payment restores', async () => {
    const buyer = await subscribe(pro);
    await changeCard(buyer, 'failsLater');
    await endPeriod(buyer);
    expect(await overviewOf(buyer)).toMatchObject({ subscription: { status: 'past_due' } });
    const { past_due_since: since, grace_ends_at: until } = (await overviewOf(buyer)).subscription;
    expect(until).toBe(addDays(since, 7));
    expect((await choose(buyer, basic)).body.error.code).toBe('BILLING.REFUSED');
    await sandboxOf(suite.app).sandbox.advanceClock({ to: until });
    await runTenantJobs(suite.app);
    expect(await buyer.read()).toMatchObject({ status: 'suspended', plan_code: pro.code });
    expect((await buyer.bill('GET', '/overview')).body.error.code).toBe('TENANT.STATUS.SUSPENDED');
    const mail = (await mailsTo(suite.app, buyer.tenant.owner.email)).at(-1);
    expect(mail).toContain('/sandbox/');
    const { payments } = sandboxOf(suite.app);
    const [open] = await payments.listInvoices(await buyer.subscriptionId());
    await changeCard(buyer, 'good');
    await payments.retryInvoice(open?.id ?? '').catch(() => undefined);
    await buyer.settle();
    expect(await buyer.read()).toMatchObject({ status: 'active', plan_code: pro.code });
    expect(await overviewOf(buyer)).toMatchObject({ subscription: { status: 'active', past_due_since: null } });
  });
});

describe('the billing surface', () => {
  test.each(['admin', 'viewer'] as const)(
    'the billing surface refuses reads of a member with the role %s',
    async (role) => {
      const buyer = await subscribe(basic);
      const member = await createUser(suite.app);
      await joinTenant(suite.app, member, buyer.tenant.id, role);
      for (const path of ['/overview', '/invoices', '/portal-session', `/plan-preview?plan=${pro.code}`]) {
        const answer = await suite.app.request({ method: 'GET', url: `/api/v1/billing${path}`, headers: member.auth });
        expect([path, answer.body.error.code]).toEqual([path, 'AUTH.ROLE_REQUIRED']);
      }
    },
  );

  test('changed billing details apply to the next invoices, and finalized invoices keep theirs', async () => {
    const buyer = await subscribe(basic);
    const address = { line1: 'Zeil 1', city: 'Frankfurt', country: 'DE' };
    const changed = await buyer.bill('PUT', '/details', { name: 'Łódź GmbH', address, tax_id: 'de 123 456 789' });
    const email = buyer.tenant.owner.email;
    expect(changed.body.data).toMatchObject({ name: 'Łódź GmbH', email, tax_id: 'DE123456789' });
    const cleared = await buyer.bill('PUT', '/details', { tax_id: null });
    expect(cleared.body.data).toMatchObject({ name: 'Łódź GmbH', address: { city: 'Frankfurt' }, tax_id: null });
    await endPeriod(buyer);
    const customers = (await invoicesOf(buyer)).map((row: { customer: { name: string } }) => row.customer.name);
    expect(customers).toEqual(['Łódź GmbH', 'Acme']);
    expect((await overviewOf(buyer)).details).toEqual(cleared.body.data);
  });

  test.each([
    [{ address: { line1: 'Zeil 1', city: 'Frankfurt', country: 'DE' }, tax_id: 'DE123' }, 'tax_id'],
    [{ address: { line1: 'Zeil 1', city: 'Frankfurt', country: 'DE' }, tax_id: 'ATU12345678' }, 'tax_id'],
    [{ address: { line1: 'Ring 1', city: 'Wien', country: 'AT' } }, 'tax_id'],
    [{ address: { line1: 'Street 1', city: 'London', country: 'UK' }, tax_id: null }, 'address.country'],
  ])('the billing details %j are refused at the field %s, and nothing changes', async (details, field) => {
    const buyer = await subscribe(basic);
    const address = { line1: 'Zeil 1', city: 'Frankfurt', country: 'DE' };
    await buyer.bill('PUT', '/details', { address, tax_id: 'DE123456789' });
    const answer = await buyer.bill('PUT', '/details', details);
    expect([answer.status, badFields(answer)]).toEqual([422, [field]]);
    expect((await overviewOf(buyer)).details).toMatchObject({ address, tax_id: 'DE123456789' });
  });

  test('a customer gets a portal session, and a tenant without a purchase gets BILLING.NO_SUBSCRIPTION', async () => {
    const buyer = await subscribe(basic);
    const portal = await buyer.bill('GET', '/portal-session');
    expect(portal.body.data.url).toContain('/sandbox/');
    expect(portal.headers['cache-control']).toBe('no-store');
    const other = await createBillingTenant(suite.app, suite.admin);
    expect((await other.bill('GET', '/portal-session')).body.error.code).toBe('BILLING.NO_SUBSCRIPTION');
    expect((await other.bill('PUT', '/details', { name: 'X' })).body.error.code).toBe('BILLING.NO_SUBSCRIPTION');
  });

  test("another tenant's invoice is a 404, like one that does not exist", async () => {
    const [one, other] = [await subscribe(basic), await subscribe(basic)];
    const [invoice] = await invoicesOf(one);
    for (const path of ['', '/pdf', '/html']) {
      expect((await one.bill('GET', `/invoices/${invoice.id}${path}`)).status).toBe(200);
      expect((await other.bill('GET', `/invoices/${invoice.id}${path}`)).body.error.code).toBe('RESOURCE.NOT_FOUND');
    }
  });
});

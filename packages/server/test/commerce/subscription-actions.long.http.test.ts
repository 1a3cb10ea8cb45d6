import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { AdminRole } from '../../src/db/tables/platform/identity.ts';
import { syncSubscription } from '../../src/features/commerce/billing/sync-service.ts';
import { addDays } from '../../src/lib/duration.ts';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { card, dayMs, newCheckout, price, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createAdmin } from '../support/accounts.ts';
import { type Answer, useApp, useClock } from '../support/harness.ts';
import { badFields } from '../support/licensing-catalog.ts';
import { type BillingTenant, createSubscriber, monthlyAndYearly, type Offer, offerPlan } from './buyers.ts';

useClock();
const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
let admin: Account;
let basic: Offer;
let pro: Offer;
let trial: Offer;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
  basic = await offerPlan(suite.app, admin, monthlyAndYearly(1000));
  pro = await offerPlan(suite.app, admin, monthlyAndYearly(3000));
  trial = await offerPlan(suite.app, admin, [{ interval: 'month', currency: 'usd', amount: 3000, trial_days: 14 }]);
});

const send = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, as = admin) =>
  suite.app.request({ method, url: `/api/v1/admin${path}`, headers: as.auth, ...(payload && { payload }) });
const code = ({ status, body }: Answer) => [status, body?.error?.code];

interface Subscribed {
  readonly buyer: BillingTenant;
  readonly id: string;
  act(action: string, payload?: object): Promise<Answer>;
  read(): Promise<Answer['body']>;
  events(): Promise<string[]>;
}

/** Subscribes a new tenant to a plan. */
async function subscribed(plan: Offer, payment: Parameters<typeof createSubscriber>[3] = {}): Promise<Subscribed> {
  const buyer = await createSubscriber(suite.app, admin, plan, payment);
  const { id } = (await send('GET', `/subscriptions?tenant_id=${buyer.tenant.id}`)).body.data[0];
  return {
    buyer,
    id,
    act: (action, payload = {}) =>
      send('POST', `/subscriptions/${id}/${action}`, action === 'resume' ? undefined : payload),
    read: async () => (await send('GET', `/subscriptions/${id}`)).body.data,
    events: async () =>
      (await send('GET', `/audit?resource_id=${id}&limit=100`)).body.data.map((row: { event: string }) => row.event),
  };
}

async function createCoupon(fields: object = {}): Promise<string> {
  const answer = await send('POST', '/catalog/coupons', {
    code: `C-${newId()}`,
    percent_off: 25,
    duration: 'forever',
    ...fields,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data.code;
}

const countOf = (events: readonly string[], event: string) => events.filter((one) => one === event).length;
const amounts = async ({ buyer }: Subscribed) =>
  (await buyer.bill('GET', '/invoices')).body.data.map(({ total }: { total: number }) => total);

describe('cancel and resume', () => {
  test('at the end of the period: the subscription runs on, and a repeated request is audited once', async () => {
    const one = await subscribed(pro);
    for (let time = 1; time <= 2; time += 1) {
      const answer = await one.act('cancel');
      expect(answer.body.data).toMatchObject({ id: one.id, status: 'active', cancel_at_period_end: true });
    }
    for (let time = 1; time <= 2; time += 1) {
      expect((await one.act('resume')).body.data).toMatchObject({ cancel_at_period_end: false, canceled_at: null });
    }
    const events = await one.events();
    expect(countOf(events, 'SUBSCRIPTION.CANCELLATION_REQUESTED')).toBe(1);
    expect(countOf(events, 'SUBSCRIPTION.RESUMED')).toBe(1);
    expect(await one.buyer.read()).toMatchObject({ plan_code: pro.code });
  });

  test('now: the tenant has the free plan at once, and only a new purchase gives it a plan again', async () => {
    const one = await subscribed(pro);
    for (let time = 1; time <= 2; time += 1) {
      const answer = await one.act('cancel', { at_period_end: false });
      expect(answer.body.data).toMatchObject({ status: 'canceled' });
    }
    expect(await one.buyer.read()).toMatchObject({ plan_code: 'free', status: 'active' });
    expect(countOf(await one.events(), 'SUBSCRIPTION.CANCELLATION_REQUESTED')).toBe(1);
    const coupon = await createCoupon();
    for (const [action, payload] of [
      ['resume', undefined],
      ['change-plan', { plan_code: basic.code }],
      ['extend-trial', { trial_ends_at: '2027-01-31T00:00:00Z' }],
      ['apply-coupon', { coupon }],
    ] as const) {
      const answer = await one.act(action, payload);
      expect([action, ...code(answer)]).toEqual([action, 409, 'SUBSCRIPTION.TRANSITION_INVALID']);
      expect(answer.body.error.message).toContain('canceled');
    }
  });

  test('the audit record names the admin and the request', async () => {
    const one = await subscribed(pro);
    const { headers } = await one.act('cancel');
    const url = `/audit?resource_id=${one.id}&event=SUBSCRIPTION.CANCELLATION_REQUESTED`;
    const [record] = (await send('GET', url)).body.data;
    expect(record).toMatchObject({
      actor_type: 'admin',
      actor_id: admin.id,
      request_id: headers['x-request-id'],
      changes: [{ field: 'cancel_at_period_end', old: false, new: true }],
    });
  });
});

describe('change of plan', () => {
  test('prorated: the difference is charged now, once for a repeated request', async () => {
    const one = await subscribed(basic);
    const answers = [
      await one.act('change-plan', { plan_code: pro.code, interval: 'month', prorate: true }),
      await one.act('change-plan', { plan_code: pro.code }),
    ];
    for (const { body } of answers) expect(body.data).toMatchObject({ plan_code: pro.code, amount: 3000 });
    expect(await amounts(one)).toEqual([2000, 1000]);
    expect(await one.buyer.read()).toMatchObject({ plan_code: pro.code });
    expect(countOf(await one.events(), 'SUBSCRIPTION.PLAN_CHANGED')).toBe(1);
  });

  test('unprorated: nothing is charged until the next period, and the interval must stay', async () => {
    const one = await subscribed(basic);
    const yearly = await one.act('change-plan', { plan_code: pro.code, interval: 'year', prorate: false });
    expect([yearly.status, badFields(yearly)]).toEqual([422, ['prorate']]);
    const changed = await one.act('change-plan', { plan_code: pro.code, prorate: false });
    expect(changed.body.data).toMatchObject({ plan_code: pro.code, amount: 3000, interval: 'month' });
    expect(await amounts(one)).toEqual([1000]);
    await sandboxOf(suite.app).sandbox.advanceClock({ to: changed.body.data.current_period_ends_at });
    await one.buyer.settle();
    expect(await amounts(one)).toEqual([3000, 1000]);
  });

  test('a declined charge is a 402 and changes nothing, and a later attempt with a good card succeeds', async () => {
    const one = await subscribed(basic);
    const { sandbox, payments } = sandboxOf(suite.app);
    const { customerId = '' } = (await payments.findSubscription(await one.buyer.subscriptionId())) ?? {};
    await sandbox.changeCard(customerId, card('failsLater'));
    expect(code(await one.act('change-plan', { plan_code: pro.code }))).toEqual([402, 'BILLING.PAYMENT_FAILED']);
    expect(await one.read()).toMatchObject({ plan_code: basic.code });
    await sandbox.changeCard(customerId, card('good'));
    expect((await one.act('change-plan', { plan_code: pro.code })).status).toBe(200);
    expect(await one.read()).toMatchObject({ plan_code: pro.code });
  });

  test('a wrong body is a 422 for its field', async () => {
    const one = await subscribed(basic);
    for (const [payload, field] of [
      [{ plan_code: 'free' }, 'plan_code'],
      [{ plan_code: 'nothing-of-this-name' }, 'plan_code'],
    ] as const) {
      const answer = await one.act('change-plan', payload);
      expect([payload, answer.status, badFields(answer)]).toEqual([payload, 422, [field]]);
    }
  });
});

describe('a longer trial', () => {
  test('moves the end of the trial; the same end has no effect', async () => {
    const one = await subscribed(trial);
    const { status, trial_ends_at: before, has_payment_method } = await one.read();
    expect([status, has_payment_method]).toEqual(['trialing', true]);
    const later = addDays(before, 10);
    for (let time = 1; time <= 2; time += 1) {
      const answer = await one.act('extend-trial', { trial_ends_at: later });
      expect([answer.status, answer.body.data?.status]).toEqual([200, 'trialing']);
      expect(answer.body.data.trial_ends_at.slice(0, 19)).toBe(later.slice(0, 19));
    }
    expect(countOf(await one.events(), 'SUBSCRIPTION.TRIAL_EXTENDED')).toBe(1);
    expect(await amounts(one)).toEqual([]);
    for (const trial_ends_at of [before, '2020-01-01T00:00:00Z', addDays(later, 800), 'tomorrow']) {
      const answer = await one.act('extend-trial', { trial_ends_at });
      expect([trial_ends_at, answer.status, badFields(answer)]).toEqual([trial_ends_at, 422, ['trial_ends_at']]);
    }
  });

  test('is a 409 for a subscription without a trial', async () => {
    const one = await subscribed(pro);
    const answer = await one.act('extend-trial', { trial_ends_at: '2027-01-31T00:00:00Z' });
    expect(code(answer)).toEqual([409, 'SUBSCRIPTION.TRANSITION_INVALID']);
    expect(answer.body.error.message).toContain('active');
  });
});

describe('a coupon', () => {
  test('lowers the next invoice, and the coupon of the present discount has no further effect', async () => {
    const coupon = await createCoupon();
    const one = await subscribed(pro);
    expect((await one.read()).discount).toBeNull();
    const discount = { coupon, percent_off: 25, amount_off: null, duration: 'forever', ends_at: null };
    for (const written of [coupon, coupon.toLowerCase()]) {
      expect((await one.act('apply-coupon', { coupon: written })).body.data).toMatchObject({ discount });
    }
    expect(countOf(await one.events(), 'SUBSCRIPTION.COUPON_APPLIED')).toBe(1);
    const { subscription, next_invoice } = (await one.buyer.bill('GET', '/overview')).body.data;
    expect([subscription.discount, next_invoice.amount_due]).toEqual([discount, 2250]);
    await sandboxOf(suite.app).sandbox.advanceClock({ to: subscription.current_period_ends_at });
    await one.buyer.settle();
    expect(await amounts(one)).toEqual([2250, 3000]);
  });

  test('for some months lowers the recurring revenue until it ends, and then the subscription has none', async () => {
    const own = await offerPlan(suite.app, admin, monthlyAndYearly(1200, 'sek'));
    const coupon = await createCoupon({ duration: 'repeating', duration_months: 2 });
    const one = await subscribed(own);
    const { sandbox } = sandboxOf(suite.app);
    // The discount ends within a period.
    await sandbox.advanceClock({ byMs: 5 * dayMs });
    await one.act('apply-coupon', { coupon });
    const readMrr = async () =>
      (await send('GET', '/billing/overview')).body.data.currencies.find(
        ({ currency }: { currency: string }) => currency === 'sek',
      ).mrr;
    const { discount } = await one.read();
    expect([discount.coupon, await readMrr()]).toEqual([coupon, 900]);
    for (const days of [-2, 0.05]) {
      expect((await one.read()).discount).toEqual(discount);
      await sandbox.advanceClock({ to: addDays(discount.ends_at, days) });
      // Without any event of the provider.
      await suite.app.services.platform.query.deleteFrom('sandbox_events').execute();
      await runTenantJobs(suite.app);
    }
    expect([(await one.read()).discount, await readMrr()]).toEqual([null, 1200]);
  });

  test('replaces the present discount, and can be applied again after another one', async () => {
    const [first, second] = [await createCoupon(), await createCoupon({ percent_off: 12.5 })];
    const one = await subscribed(pro);
    for (const coupon of [first, second, first]) {
      expect((await one.act('apply-coupon', { coupon })).body.data.discount.coupon).toBe(coupon);
    }
    expect((await one.read()).discount).toMatchObject({ coupon: first, percent_off: 25 });
  });

  test('that is unknown is a 422; one that is archived, expired or of another currency is a 409', async () => {
    const one = await subscribed(pro);
    const unknown = await one.act('apply-coupon', { coupon: 'NO-SUCH-COUPON' });
    expect([unknown.status, badFields(unknown)]).toEqual([422, ['coupon']]);
    const { payments, sandbox } = sandboxOf(suite.app);
    const expires_at = addDays(await payments.now(), 1);
    const expiring = await createCoupon({ expires_at });
    await sandbox.advanceClock({ byMs: 2 * dayMs });
    const archived = await createCoupon();
    const [{ id }] = (await send('GET', `/catalog/coupons?code=${archived}`)).body.data;
    await send('DELETE', `/catalog/coupons/${id}`);
    const foreign = await createCoupon({ percent_off: null, amount_off: 500, currency: 'eur' });
    for (const [coupon, reason] of [
      [expiring, 'expired'],
      [archived, 'archived'],
      [foreign, 'eur'],
    ] as const) {
      const answer = await one.act('apply-coupon', { coupon });
      expect(code(answer)).toEqual([409, 'COUPON.NOT_REDEEMABLE']);
      expect(answer.body.error.message).toContain(reason);
    }
    expect((await one.read()).discount).toBeNull();
  });
});

describe('who may act', () => {
  test('every admin reads, and only billing_admin and super_admin change; refusals and changes are logged', async () => {
    const one = await subscribed(pro);
    const url = `/subscriptions/${one.id}`;
    for (const [role, status] of [
      ['admin', 403],
      ['billing_readonly', 403],
      ['billing_admin', 200],
    ] as readonly (readonly [AdminRole, number])[]) {
      const as = await createAdmin(suite.app, role);
      expect((await send('GET', url, undefined, as)).status).toBe(200);
      expect((await send('GET', '/subscriptions', undefined, as)).status).toBe(200);
      for (const action of ['cancel', 'resume', 'change-plan', 'extend-trial', 'apply-coupon']) {
        const answer = await send('POST', `${url}/${action}`, { plan_code: pro.code, at_period_end: true }, as);
        if (status === 403) expect([action, ...code(answer)]).toEqual([action, 403, 'BILLING.ROLE_REQUIRED']);
        else expect([action, answer.status]).not.toEqual([action, 403]);
      }
      const log = (await send('GET', `/billing/authorization-log?limit=5`)).body.data;
      expect(
        new Set(log.map(({ allowed, admin_id }: { allowed: boolean; admin_id: string }) => `${allowed} ${admin_id}`)),
      ).toEqual(new Set([`${status === 200} ${as.id}`]));
    }
  });

  test('an unknown subscription is a 404, and one of another provider is a 409', async () => {
    expect(code(await send('POST', `/subscriptions/${newId()}/cancel`, {}))).toEqual([404, 'RESOURCE.NOT_FOUND']);
    const one = await subscribed(pro);
    const { query } = suite.app.services.platform;
    await query.updateTable('subscriptions').set({ provider: 'stripe' }).where('id', '=', one.id).execute();
    const answer = await one.act('cancel');
    expect(code(answer)).toEqual([409, 'BILLING.REFUSED']);
    expect(answer.body.error.message).toContain('stripe');
  });
});

describe('twenty requests at once', () => {
  test('cancel, resume and change of plan end in the state of the provider and charge once', async () => {
    const one = await subscribed(basic);
    const actions = ['cancel', 'resume', 'change-plan', 'change-plan'] as const;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const action = actions[index % actions.length] ?? 'cancel';
        return one.act(action, action === 'change-plan' ? { plan_code: pro.code } : {});
      }),
    );
    for (const { status } of answers) expect(status).toBe(200);
    const stored = await one.read();
    const provided = await sandboxOf(suite.app).payments.findSubscription(await one.buyer.subscriptionId());
    expect(stored).toMatchObject({
      status: 'active',
      plan_code: pro.code,
      cancel_at_period_end: provided?.cancelAtPeriodEnd,
    });
    expect(provided?.planCode).toBe(pro.code);
    expect(await amounts(one)).toEqual([2000, 1000]);
  });

  test('an action whose sync is overtaken by a newer one is audited', async () => {
    const one = await subscribed(pro);
    const { payments } = sandboxOf(suite.app);
    const listInvoices = payments.listInvoices.bind(payments);
    let isOvertaken = false;
    const spy = vi.spyOn(payments, 'listInvoices').mockImplementation(async (id) => {
      const isCanceled = (await payments.findSubscription(id))?.cancelAtPeriodEnd;
      if (isCanceled && !isOvertaken) {
        isOvertaken = true;
        await syncSubscription(suite.app.services, payments, id);
      }
      return await listInvoices(id);
    });
    expect((await one.act('cancel')).body.data.cancel_at_period_end).toBe(true);
    spy.mockRestore();
    expect(isOvertaken).toBe(true);
    expect(countOf(await one.events(), 'SUBSCRIPTION.CANCELLATION_REQUESTED')).toBe(1);
  });

  test('a coupon that can be redeemed once is used by one of twenty subscriptions and checkouts', async () => {
    const coupon = await createCoupon({ max_redemptions: 1 });
    const subscriptions: Subscribed[] = [];
    for (let count = 1; count <= 4; count += 1) subscriptions.push(await subscribed(pro));
    const { payments, sandbox } = sandboxOf(suite.app);
    const checkouts: string[] = [];
    for (let count = 1; count <= 4; count += 1) {
      checkouts.push((await payments.createCheckout(newCheckout(price('pro', 3000)))).id);
    }
    const requests = Array.from({ length: 16 }, (_, index) => subscriptions[index % 4] ?? subscriptions[0]);
    const [paid, applied] = await Promise.all([
      Promise.allSettled(checkouts.map((id) => sandbox.pay(id, card('good'), { coupon }))),
      Promise.all(requests.flatMap((one) => (one === undefined ? [] : [one.act('apply-coupon', { coupon })]))),
    ]);
    const discounted = [];
    for (const one of subscriptions) if ((await one.read()).discount !== null) discounted.push(one.id);
    expect(discounted.length + paid.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    for (const answer of applied) {
      if (answer.status !== 200) expect(code(answer)).toEqual([409, 'COUPON.NOT_REDEEMABLE']);
    }
    const [{ id }] = (await send('GET', `/catalog/coupons?code=${coupon}`)).body.data;
    expect((await send('GET', `/catalog/coupons/${id}`)).body.data.redemptions).toBe(1);
  });

  test('twenty requests for one subscription redeem a coupon once', async () => {
    const coupon = await createCoupon({ max_redemptions: 5 });
    const one = await subscribed(pro);
    const answers = await Promise.all(Array.from({ length: 20 }, () => one.act('apply-coupon', { coupon })));
    for (const { status } of answers) expect(status).toBe(200);
    const [{ id }] = (await send('GET', `/catalog/coupons?code=${coupon}`)).body.data;
    expect((await send('GET', `/catalog/coupons/${id}`)).body.data.redemptions).toBe(1);
  });
});

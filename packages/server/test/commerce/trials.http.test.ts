import { beforeAll, describe, expect, test } from 'vitest';
import { addDays } from '../../src/lib/duration.ts';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { sandboxOf } from '../payments/sandbox-data.ts';
import { createUser, joinTenant, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields } from '../support/licensing-catalog.ts';
import { mailsTo } from '../support/mails.ts';
import {
  type BillingTenant,
  createBillingTenant,
  createSignUp,
  createSubscriber,
  monthlyPrice,
  type Offer,
  offerPlan,
  paySignUp,
  startSignUp,
} from './buyers.ts';

useClock();
const suite = useAdmin({ PAYMENT_PROVIDER: 'sandbox' });
const trialDays = 14;
let plan: Offer;

beforeAll(async () => {
  plan = await offerPlan(suite.app, suite.admin, [{ ...monthlyPrice, trial_days: trialDays }]);
});
const subscriptionOf = async (buyer: BillingTenant) => (await buyer.bill('GET', '/overview')).body.data.subscription;
const isReminder = (text: string) => text.includes('The free trial of');
const remindersOf = async ({ email }: { email: string }) => (await mailsTo(suite.app, email)).filter(isReminder);
const noticesOf = async (buyer: BillingTenant) => {
  const url = `/tenants/${buyer.tenant.id}/notifications`;
  return (await suite.asAdmin('GET', url)).body.data.filter(({ type }: { type: string }) => type === 'trial.ending');
};

/** Advances the sandbox's clock and runs the due jobs, without any event of the provider. */
async function advanceTo(moment: string): Promise<void> {
  await sandboxOf(suite.app).sandbox.advanceClock({ to: moment });
  await suite.app.services.platform.query.deleteFrom('sandbox_events').execute();
  await runTenantJobs(suite.app);
}

describe('the trial of a price', () => {
  test('has 0 to 730 days, 0 by default, and is part of the catalog and of the public plans', async () => {
    const prices = [monthlyPrice, { ...monthlyPrice, interval: 'year', trial_days: 730 }];
    const created = await suite.asAdmin('POST', '/catalog/plans', { code: newId(), name: 'Team', prices });
    const expected = [
      { ...monthlyPrice, trial_days: 0 },
      { ...monthlyPrice, interval: 'year', trial_days: 730 },
    ];
    expect(created.body.data.prices).toEqual(expected);
    const { id } = created.body.data;
    expect((await suite.asAdmin('GET', `/catalog/plans/${id}`)).body.data.prices).toEqual(expected);
    const plans = (await suite.app.request({ method: 'GET', url: '/api/v1/plans' })).body.data;
    expect(plans.find((one: { id: string }) => one.id === id).prices).toEqual(expected);
    for (const trial_days of [-1, 731, 1.5, '14', null]) {
      const answer = await suite.asAdmin('PUT', `/catalog/plans/${id}`, { prices: [{ ...monthlyPrice, trial_days }] });
      expect([trial_days, answer.status, badFields(answer)]).toEqual([trial_days, 422, ['prices.0.trial_days']]);
    }
  });
});

describe('a trial without a card', () => {
  test('gives access, is reminded of once per end, and falls back to the free plan', async () => {
    const buyer = await createBillingTenant(suite.app, suite.admin);
    const second = await createUser(suite.app);
    const viewer = await createUser(suite.app);
    await joinTenant(suite.app, second, buyer.tenant.id, 'owner');
    await joinTenant(suite.app, viewer, buyer.tenant.id, 'viewer');
    const preview = (await buyer.bill('GET', `/plan-preview?plan_code=${plan.code}`)).body.data;
    expect(preview).toMatchObject({ takes_effect: 'checkout', amount_due: 0, trial_days: trialDays });
    const change = await buyer.bill('PUT', '/plan', { plan_code: plan.code });
    await buyer.pay(change.body.data.checkout_url, null);
    await buyer.settle();
    const begun = await subscriptionOf(buyer);
    expect(begun).toMatchObject({ status: 'trialing', has_payment_method: false });
    expect(begun.trial_ends_at.slice(0, 10)).toBe(addDays(begun.created_at, trialDays).slice(0, 10));
    expect(await buyer.read()).toMatchObject({ plan_code: plan.code, status: 'active' });

    const owners = [buyer.tenant.owner, second];
    const expectReminders = async (count: number) => {
      for (const owner of owners) expect(await remindersOf(owner)).toHaveLength(count);
      expect(await noticesOf(buyer)).toHaveLength(count);
    };
    await advanceTo(addDays(begun.trial_ends_at, -3.01));
    await expectReminders(0);
    await advanceTo(addDays(begun.trial_ends_at, -3));
    await expectReminders(1);
    for (let time = 1; time <= 3; time += 1) await buyer.settle();
    await expectReminders(1);
    const [mail] = await remindersOf(buyer.tenant.owner);
    expect(mail).toContain('You have not added a payment method');
    expect(await remindersOf(viewer)).toEqual([]);

    const later = `${addDays(begun.trial_ends_at, 10).slice(0, 19)}Z`;
    await suite.asAdmin('POST', `/subscriptions/${begun.id}/extend-trial`, { trial_ends_at: later });
    await expectReminders(1);
    await advanceTo(addDays(begun.trial_ends_at, 7.1));
    await expectReminders(2);

    await advanceTo(addDays(begun.trial_ends_at, 10.1));
    expect(await buyer.read()).toMatchObject({ plan_code: 'free', status: 'active' });
    expect(await subscriptionOf(buyer)).toBeNull();
    expect((await suite.asAdmin('GET', `/subscriptions/${begun.id}`)).body.data).toMatchObject({ status: 'canceled' });
    expect((await buyer.bill('GET', '/invoices')).body.data).toEqual([]);
    await expectReminders(2);
  });
});

describe('a trial with a card', () => {
  test('becomes a paid subscription, and the reminder says so', async () => {
    const buyer = await createSubscriber(suite.app, suite.admin, plan);
    const begun = await subscriptionOf(buyer);
    expect(begun).toMatchObject({ status: 'trialing', has_payment_method: true });
    await advanceTo(addDays(begun.trial_ends_at, -2));
    const [mail] = await remindersOf(buyer.tenant.owner);
    expect(mail).toContain('We will then charge your payment method EUR 29.00 per month');
    await advanceTo(addDays(begun.trial_ends_at, 0.1));
    expect(await subscriptionOf(buyer)).toMatchObject({ status: 'active', plan_code: plan.code });
    expect((await buyer.bill('GET', '/invoices')).body.data).toMatchObject([{ status: 'paid', total: 2900 }]);
  });
});

describe('there is one trial', () => {
  test('per tenant: its next subscription begins with a payment', async () => {
    const buyer = await createSubscriber(suite.app, suite.admin, plan);
    const { id } = await subscriptionOf(buyer);
    await suite.asAdmin('POST', `/subscriptions/${id}/cancel`, { at_period_end: false });
    const preview = (await buyer.bill('GET', `/plan-preview?plan_code=${plan.code}`)).body.data;
    expect(preview).toMatchObject({ amount_due: 2900, trial_days: 0 });
    const change = await buyer.bill('PUT', '/plan', { plan_code: plan.code });
    await expect(buyer.pay(change.body.data.checkout_url, null)).rejects.toMatchObject({ reason: 'declined' });
    await buyer.pay(change.body.data.checkout_url);
    await buyer.settle();
    expect(await subscriptionOf(buyer)).toMatchObject({ status: 'active', trial_ends_at: null });
  });

  test('per person: an owner of a tenant with a trial gets none for another tenant or sign-up', async () => {
    const signUp = await createSignUp(suite.app);
    const first = await startSignUp(signUp, plan.code);
    expect(first.trial_days).toBe(trialDays);
    // An unpaid checkout does not use the trial up.
    expect((await startSignUp(signUp, plan.code)).trial_days).toBe(trialDays);
    // What sign-up shows before the choice is what the checkout then grants.
    const shownTrial = async () => {
      const offered = await suite.app.request({
        method: 'GET',
        url: '/api/v1/onboarding/plans',
        headers: signUp.user.auth,
      });
      const shown = offered.body.data.find(({ code }: { code: string }) => code === plan.code);
      return shown.prices[0].trial_days;
    };
    expect(await shownTrial()).toBe(trialDays);
    await paySignUp(suite.app, first.id);
    expect((await signUp.post(`/${first.id}/complete`)).status).toBe(200);
    expect((await startSignUp(signUp, plan.code)).trial_days).toBe(0);
    await runTenantJobs(suite.app);
    expect((await startSignUp(signUp, plan.code)).trial_days).toBe(0);
    expect(await shownTrial()).toBe(0);

    const other = await createBillingTenant(suite.app, suite.admin);
    await joinTenant(suite.app, signUp.user, other.tenant.id, 'owner');
    const url = `/api/v1/billing/plan-preview?plan_code=${plan.code}`;
    const headers = { ...signUp.user.auth, 'x-tenant-id': other.tenant.id };
    expect((await suite.app.request({ method: 'GET', url, headers })).body.data.trial_days).toBe(0);
    expect((await other.bill('GET', `/plan-preview?plan_code=${plan.code}`)).body.data.trial_days).toBe(trialDays);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { dayMs } from '../payments/sandbox-data.ts';
import { type Account, createAdmin, createTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { createCreditNote, payInvoice } from '../support/stripe/invoices.ts';
import { completeCheckout } from '../support/stripe/subscriptions.ts';
import { useStripe } from '../support/stripe/suite.ts';
import { invoiceAdmin, providerIdOf } from './admin-invoices.ts';
import { monthlyAndYearly, monthlyPrice, type Offer, offerPlan } from './buyers.ts';

const clock = useClock();
const stripe = useStripe({ STRIPE_TAX: 'true' });
let admin: Account;
let trial: Offer;
let pro: Offer;

beforeAll(async () => {
  admin = await createAdmin(stripe.app);
  trial = await offerPlan(stripe.app, admin, [{ ...monthlyPrice, trial_days: 14 }]);
  pro = await offerPlan(stripe.app, admin, monthlyAndYearly(5000, 'eur'));
});

const invoices = () => invoiceAdmin(stripe.app, admin);

async function createCoupon(fields: object): Promise<string> {
  const payload = { code: `C-${newId()}`, duration: 'forever', ...fields };
  const answer = await invoices().send('POST', '/catalog/coupons', payload);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body.data.code;
}

/** Creates a tenant that starts the trial on Stripe's page, with a coupon, and returns the subscription's ids. */
async function startTrial(promotionCode: string) {
  const tenant = await createTenant(stripe.app, admin);
  const { platform } = stripe.app.services;
  const payload = { plan_code: trial.code };
  const headers = tenant.owner.auth;
  const chosen = await stripe.app.request({ method: 'PUT', url: '/api/v1/billing/plan', headers, payload });
  expect(chosen.status).toBe(200);
  const checkouts = platform.query.selectFrom('billing_checkouts').selectAll().where('tenant_id', '=', tenant.id);
  const { provider_checkout_id } = await checkouts.executeTakeFirstOrThrow();
  const { account } = stripe.server;
  const subscription = completeCheckout(account, provider_checkout_id ?? '', { promotionCode, hasCard: false });
  await stripe.sendEvent('checkout.session.completed', account.get(provider_checkout_id ?? ''));
  const { body } = await invoices().send('GET', `/subscriptions?tenant_id=${tenant.id}`);
  return { id: body.data[0].id as string, subscriptionId: subscription.id as string };
}

describe('commerce with Stripe', () => {
  test('an admin manages a trial with coupons at Stripe, and events mirror what changes there', async () => {
    const [first, second] = [await createCoupon({ percent_off: 25 }), await createCoupon({ percent_off: 50 })];
    const { id, subscriptionId } = await startTrial(first);
    const read = async () => (await invoices().send('GET', `/subscriptions/${id}`)).body.data;
    const act = async (action: string, payload?: object) => {
      const answer = await invoices().send('POST', `/subscriptions/${id}/${action}`, payload);
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    };
    const before = await read();
    expect(before).toMatchObject({ status: 'trialing', plan_code: trial.code, discount: { coupon: first } });
    const end = new Date(Date.parse(before.trial_ends_at) + 7 * dayMs).toISOString();
    await act('extend-trial', { trial_ends_at: end });
    await act('apply-coupon', { coupon: second });
    await act('change-plan', { plan_code: pro.code, prorate: false });
    await act('cancel', { at_period_end: true });
    await act('resume');
    const after = await read();
    expect(after).toMatchObject({ plan_code: pro.code, discount: { coupon: second }, cancel_at_period_end: false });
    expect(Date.parse(after.trial_ends_at)).toBe(Date.parse(end));

    const stored = stripe.server.account.get(subscriptionId);
    const [discount] = stored.discounts;
    stored.discounts = [];
    await stripe.sendEvent('customer.discount.deleted', stripe.server.account.get(discount));
    expect((await read()).discount).toBeNull();
  });

  test('a single invoice is paid and refunded at Stripe, from here and from there, exactly once each', async () => {
    stripe.server.account.setTax(20, 'AT');
    const { account } = stripe.server;
    const tenant = await createTenant(stripe.app, admin);
    const draft = await invoices().create(tenant, 10_000);
    expect([draft.status, draft.body.data?.total]).toEqual([201, 12_000]);
    const { id } = draft.body.data;
    expect((await invoices().send('POST', `/invoices/${id}/finalize`)).status).toBe(200);
    const stored = account.get(await providerIdOf(stripe.app, id));
    payInvoice(account, stored);
    await stripe.sendEvent('invoice.paid', stored);
    expect(await invoices().read(id)).toMatchObject({ status: 'paid', amount_paid: 12_000, tax: 2000 });

    const refund = () =>
      invoices().send('POST', `/invoices/${id}/refund`, { amount: 3000, reason: 'Outage' }, 'refund-1');
    // All responses to the request that creates the credit note are lost; Stripe has created it.
    const isCreation = ({ path, method }: { path: string; method: string }) =>
      method === 'POST' && path.endsWith('/credit_notes');
    stripe.server.cutResponses(isCreation, 3);
    expect((await refund()).status).toBe(503);
    stripe.server.forgetKeys();
    const repeated = await refund();
    expect([repeated.status, repeated.body.data]).toMatchObject([201, { amount: 3000, tax: 500 }]);
    await runTenantJobs(stripe.app);

    const form = { invoice: stored.id, amount: '6000', refund_amount: '6000' };
    await stripe.sendEvent('credit_note.created', createCreditNote(account, form));
    expect(await invoices().read(id)).toMatchObject({ amount_refunded: 9000 });
    const excess = await invoices().send('POST', `/invoices/${id}/refund`, { amount: 3001, reason: 'Outage' });
    expect(excess.status).not.toBe(201);
    const amounts = account.all('credit_note').map(({ amount }) => amount);
    expect(amounts).toEqual([3000, 6000]);
  });

  test('a purchase at Stripe causes one receipt, although its events arrive days later and twice', async () => {
    const tenant = await createTenant(stripe.app, admin);
    const headers = tenant.owner.auth;
    const payload = { plan_code: pro.code, interval: 'month' };
    const chosen = await stripe.app.request({ method: 'PUT', url: '/api/v1/billing/plan', headers, payload });
    expect([chosen.status, chosen.text]).toEqual([200, expect.any(String)]);
    const checkouts = stripe.app.services.platform.query.selectFrom('billing_checkouts').selectAll();
    const checkout = await checkouts.where('tenant_id', '=', tenant.id).executeTakeFirstOrThrow();
    const checkoutId = checkout.provider_checkout_id ?? '';
    completeCheckout(stripe.server.account, checkoutId);
    clock.advance(3 * dayMs);
    for (let time = 1; time <= 2; time += 1) {
      await stripe.sendEvent('checkout.session.completed', stripe.server.account.get(checkoutId));
    }
    const mails = await mailsTo(stripe.app, tenant.owner.email);
    expect(mails.filter((mail) => mail.includes('We have received your payment'))).toHaveLength(1);
  });
});

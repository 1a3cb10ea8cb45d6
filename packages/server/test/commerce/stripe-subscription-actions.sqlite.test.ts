import { afterAll, beforeAll, expect, test } from 'vitest';
import { enqueueBillingSync } from '../../src/features/commerce/billing/enqueue.ts';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { useAdmin } from '../support/accounts.ts';
import { type StripeServer, startStripeServer, stripeSecretKey } from '../support/stripe/server.ts';
import { completeCheckout } from '../support/stripe/subscriptions.ts';
import { monthlyAndYearly, type Offer, offerPlan } from './buyers.ts';

let stripe: StripeServer;
const suite = useAdmin(async () => {
  stripe = await startStripeServer();
  return {
    PAYMENT_PROVIDER: 'stripe',
    STRIPE_SECRET_KEY: stripeSecretKey,
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    STRIPE_API_URL: stripe.url,
  };
});
let basic: Offer;
let pro: Offer;

beforeAll(async () => {
  basic = await offerPlan(suite.app, suite.admin, monthlyAndYearly(1000));
  pro = await offerPlan(suite.app, suite.admin, monthlyAndYearly(3000));
});
afterAll(() => stripe.close());

/** Subscribes a new tenant, and returns what acts on its subscription. */
async function subscribed(plan: Offer) {
  const tenant = await suite.newTenant();
  await suite.app.request({
    method: 'PUT',
    url: '/api/v1/billing/plan',
    headers: tenant.owner.auth,
    payload: { plan_code: plan.code },
  });
  const { platform, clock } = suite.app.services;
  const checkout = await platform.query
    .selectFrom('billing_checkouts')
    .select('provider_checkout_id')
    .where('tenant_id', '=', tenant.id)
    .executeTakeFirstOrThrow();
  const { id: providerId } = completeCheckout(stripe.account, checkout.provider_checkout_id ?? '');
  await platform.transaction((tx) => enqueueBillingSync(tx, providerId, clock.now()));
  await runTenantJobs(suite.app);
  const { id } = (await suite.asAdmin('GET', `/subscriptions?tenant_id=${tenant.id}`)).body.data[0];
  return async (action: string, payload?: object) => {
    const answer = await suite.asAdmin('POST', `/subscriptions/${id}/${action}`, payload);
    expect([action, answer.status, answer.body.error]).toEqual([action, 200, undefined]);
    return answer.body.data;
  };
}

test('with Stripe, admins cancel, resume, change the plan and apply a coupon', async () => {
  const act = await subscribed(basic);
  expect(await act('cancel', { at_period_end: true })).toMatchObject({ cancel_at_period_end: true });
  expect(await act('resume')).toMatchObject({ cancel_at_period_end: false, status: 'active' });
  expect(await act('change-plan', { plan_code: pro.code, prorate: false })).toMatchObject({ plan_code: pro.code });
  expect(await act('change-plan', { plan_code: basic.code, interval: 'year' })).toMatchObject({ interval: 'year' });
  const code = newId().toUpperCase();
  const coupon = { code, percent_off: 12.5, duration: 'repeating', duration_months: 3 };
  const { body, status } = await suite.asAdmin('POST', '/catalog/coupons', coupon);
  expect([status, body.data?.synced_at]).toEqual([201, expect.any(String)]);
  expect(await act('apply-coupon', { coupon: code })).toMatchObject({
    discount: { coupon: code, percent_off: 12.5, amount_off: null, duration: 'repeating' },
  });
  expect((await suite.asAdmin('GET', `/catalog/coupons/${body.data.id}`)).body.data.redemptions).toBe(1);
  expect((await suite.asAdmin('DELETE', `/catalog/coupons/${body.data.id}`)).status).toBe(200);
  expect(await act('cancel', { at_period_end: false })).toMatchObject({ status: 'canceled' });
});

test('with Stripe, admins extend a trial', async () => {
  const [price] = monthlyAndYearly(3000);
  if (price === undefined) throw new Error('There is no price.');
  const trial = await offerPlan(suite.app, suite.admin, [{ ...price, trial_days: 14 }]);
  const act = await subscribed(trial);
  const later = new Date(Date.now() + 40 * 86_400_000).toISOString();
  const extended = await act('extend-trial', { trial_ends_at: later });
  expect([extended.status, extended.trial_ends_at.slice(0, 19)]).toEqual(['trialing', later.slice(0, 19)]);
});

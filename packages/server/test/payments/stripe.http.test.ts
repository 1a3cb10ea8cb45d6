import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PaymentProvider } from '../../src/payments/provider.ts';
import { useApp } from '../support/harness.ts';
import { type StripeServer, startStripeServer, stripeSecretKey } from '../support/stripe/server.ts';
import { newCheckout, price } from './sandbox-data.ts';

const env: NodeJS.ProcessEnv = {
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: stripeSecretKey,
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
};

let server: StripeServer;

beforeAll(async () => {
  server = await startStripeServer();
  env['STRIPE_API_URL'] = server.url;
});
afterAll(() => server.close());

const suite = useApp(env);
const basic = price('basic', 1000);
const pro = price('pro', 3000);

let payments: PaymentProvider;

beforeEach(() => {
  suite.app.secrets.note(stripeSecretKey);
  const { payments: provider } = suite.app.services;
  if (provider === null) throw new Error('Stripe was not configured.');
  payments = provider;
  server.requests.length = 0;
});

/** Buys a plan on Stripe's page. */
async function buy(of = basic) {
  const checkout = newCheckout(of);
  const { id } = await payments.createCheckout(checkout);
  const { id: subscriptionId, customer } = server.account.completeCheckout(id);
  return { reference: checkout.reference, checkoutId: id, subscriptionId, customerId: customer as string };
}

async function subscriptionOf(id: string) {
  const subscription = await payments.findSubscription(id);
  if (subscription === undefined) throw new Error(`There is no subscription ${id}.`);
  return subscription;
}

const posts = (path: RegExp) =>
  server.requests.filter((request) => request.method === 'POST' && path.test(request.path));

describe('a checkout', () => {
  test('a Stripe checkout creates product and price once, and is unique per reference', async () => {
    const plan = price(`plan-${Date.now()}`, 500);
    const checkout = newCheckout(plan);
    const made = await Promise.all([1, 2, 3].map(() => payments.createCheckout(checkout)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made[0]).toMatchObject({ status: 'open', reference: checkout.reference, subscriptionId: null });
    const named = (kind: string) =>
      server.account.all(kind).filter((object) => JSON.stringify(object).includes(plan.planCode));
    expect([named('product').length, named('price').length]).toEqual([1, 1]);
    await payments.createCheckout(newCheckout({ ...plan, amount: 600 }));
    expect([named('product').length, named('price').length]).toEqual([1, 2]);
  });

  test('a paid Stripe checkout has a subscription that refers to the checkout and the plan', async () => {
    const { checkoutId, reference, subscriptionId, customerId } = await buy();
    expect(await payments.findCheckout(checkoutId)).toEqual({
      id: checkoutId,
      reference,
      status: 'complete',
      url: null,
      customerId,
      subscriptionId,
    });
    const subscription = await subscriptionOf(subscriptionId);
    expect(subscription).toMatchObject({ reference, customerId, status: 'active', planCode: 'basic', amount: 1000 });
    expect(subscription).toMatchObject({ interval: 'month', currency: 'eur', pendingChange: null, canceledAt: null });
    expect(subscription.currentPeriodEndsAt > subscription.currentPeriodStartsAt).toBe(true);
  });

  test('a Stripe checkout is expired once, and does not change when it is over', async () => {
    const { id } = await payments.createCheckout(newCheckout(basic));
    await payments.expireCheckout(id);
    await payments.expireCheckout(id);
    expect(await payments.findCheckout(id)).toMatchObject({ status: 'expired', url: null });
    expect(posts(/expire$/)).toHaveLength(1);
  });
});

describe('invoices', () => {
  test('Stripe invoices are listed with all lines, and can be paid, voided or marked as uncollectible', async () => {
    const { subscriptionId, customerId } = await buy();
    const subscription = server.account.get(subscriptionId);
    const many = Array.from({ length: 12 }, (_, position) => position);
    const [paid, voided, lost] = [many, [700], [800]].map((amounts) =>
      server.account.addInvoice(subscription, amounts, 'open'),
    );
    const before = await payments.listInvoices(subscriptionId);
    expect(before.map(({ total }) => total)).toEqual([800, 700, 66, 1000]);
    expect(before[2]).toMatchObject({
      customerId,
      subscriptionId,
      status: 'open',
      amountDue: 66,
      amountPaid: 0,
      tax: 0,
    });
    expect(before[2]?.lines).toHaveLength(12);
    expect(before[2]?.paymentUrl).toContain('https://invoice.stripe.test/');
    server.account.declines = 1;
    await expect(payments.retryInvoice(paid.id)).rejects.toMatchObject({ reason: 'declined' });
    await payments.retryInvoice(paid.id);
    await payments.voidInvoice(voided.id);
    await payments.markInvoiceUncollectible(lost.id);
    await expect(payments.retryInvoice(paid.id)).rejects.toMatchObject({ reason: 'refused' });
    const after = await payments.listInvoices(subscriptionId);
    expect(after.map(({ status }) => status)).toEqual(['uncollectible', 'void', 'paid', 'paid']);
    expect(after[2]).toMatchObject({ amountPaid: 66, paymentUrl: null, nextAttemptAt: null });
  });
});

describe('a plan change', () => {
  test('an immediate change at Stripe is collected at once, with one key for all repetitions', async () => {
    const { subscriptionId } = await buy();
    expect(await payments.previewChange(subscriptionId, pro)).toMatchObject({ currency: 'eur', amountDue: 1000 });
    await payments.changePlan(subscriptionId, pro, 'now', 'click');
    await payments.changePlan(subscriptionId, pro, 'now', 'click');
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', amount: 3000 });
    expect(await payments.listInvoices(subscriptionId)).toHaveLength(2);
    const keys = posts(/subscriptions\/sub_/).map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(1);
  });

  test('a declined immediate change at Stripe has no effect and keeps a pending change', async () => {
    const { subscriptionId } = await buy(pro);
    await payments.changePlan(subscriptionId, basic, 'period_end', 'later');
    const before = [await subscriptionOf(subscriptionId), await payments.listInvoices(subscriptionId)];
    server.account.declines = 1;
    const change = payments.changePlan(subscriptionId, price('huge', 9000), 'now', 'click');
    await expect(change).rejects.toMatchObject({ reason: 'declined' });
    expect([await subscriptionOf(subscriptionId), await payments.listInvoices(subscriptionId)]).toEqual(before);
  });

  test('a scheduled change at Stripe can be replaced and dropped, and is dropped by a cancellation', async () => {
    const { subscriptionId } = await buy(pro);
    const at = (await subscriptionOf(subscriptionId)).currentPeriodEndsAt;
    await payments.changePlan(subscriptionId, basic, 'period_end', 'a');
    const waiting = { planCode: 'basic', interval: 'month', amount: 1000, at };
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', pendingChange: waiting });
    await payments.changePlan(subscriptionId, price('basic', 9000, 'year'), 'period_end', 'b');
    expect((await subscriptionOf(subscriptionId)).pendingChange).toEqual({
      ...waiting,
      interval: 'year',
      amount: 9000,
    });
    await payments.cancelPendingChange(subscriptionId);
    await payments.cancelPendingChange(subscriptionId);
    expect((await subscriptionOf(subscriptionId)).pendingChange).toBeNull();
    await payments.changePlan(subscriptionId, basic, 'period_end', 'c');
    await payments.setCancelAtPeriodEnd(subscriptionId, true);
    const canceling = await subscriptionOf(subscriptionId);
    expect(canceling).toMatchObject({ cancelAtPeriodEnd: true, pendingChange: null });
    await expect(payments.changePlan(subscriptionId, basic, 'period_end', 'd')).rejects.toMatchObject({
      reason: 'refused',
    });
  });

  test('an immediate change at Stripe drops a pending change', async () => {
    const { subscriptionId } = await buy();
    await payments.changePlan(subscriptionId, price('tiny', 100), 'period_end', 'a');
    await payments.changePlan(subscriptionId, pro, 'now', 'b');
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', pendingChange: null });
  });

  test('a change at Stripe is refused unless the subscription is active', async () => {
    const { subscriptionId } = await buy();
    server.account.get(subscriptionId).status = 'past_due';
    for (const when of ['now', 'period_end'] as const) {
      await expect(payments.changePlan(subscriptionId, pro, when, 'a')).rejects.toMatchObject({ reason: 'refused' });
    }
  });
});

describe('a cancellation', () => {
  test('a cancellation at Stripe can be withdrawn, also one that the portal stored as a time', async () => {
    const { subscriptionId } = await buy();
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(1000);
    await payments.setCancelAtPeriodEnd(subscriptionId, true);
    expect(await payments.previewRenewal(subscriptionId)).toBeUndefined();
    await payments.setCancelAtPeriodEnd(subscriptionId, false);
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ cancelAtPeriodEnd: false, canceledAt: null });
    const subscription = server.account.get(subscriptionId);
    subscription.cancel_at = subscription.items.data[0].current_period_end;
    expect((await subscriptionOf(subscriptionId)).cancelAtPeriodEnd).toBe(true);
    await payments.setCancelAtPeriodEnd(subscriptionId, false);
    expect((await subscriptionOf(subscriptionId)).cancelAtPeriodEnd).toBe(false);
  });

  test('an immediate cancellation at Stripe happens once', async () => {
    const { subscriptionId } = await buy();
    await payments.cancelNow(subscriptionId);
    await payments.cancelNow(subscriptionId);
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false });
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });
});

describe('a customer', () => {
  test('a Stripe customer gets billing details, a credit once per key, and a portal session', async () => {
    const { customerId } = await buy();
    const address = { line1: '1 Main St', line2: null, city: 'Bern', postal_code: '3000', state: null, country: 'CH' };
    const details = { name: 'Acme', email: 'billing@example.com', address, taxId: 'CHE-123' };
    await payments.updateCustomer(customerId, details);
    expect(server.account.get(customerId)).toMatchObject({ name: 'Acme', address: { city: 'Bern', line2: '' } });
    await payments.updateCustomer(customerId, { ...details, address: null, taxId: null });
    expect(server.account.get(customerId).address).toBe('');
    const credit = { amount: 400, currency: 'eur', reason: 'sorry' };
    await Promise.all([1, 2].map(() => payments.addCredit(customerId, credit, 'key')));
    expect(server.account.get(customerId).balance).toBe(-400);
    const { url } = await payments.createPortalSession(customerId, 'http://localhost/billing');
    expect(url).toBe(`https://billing.stripe.test/${customerId}`);
  });
});

describe('Stripe', () => {
  test('an unknown object at Stripe is distinguished from an outage', async () => {
    expect(await payments.findCheckout('cs_none')).toBeUndefined();
    expect(await payments.findSubscription('sub_none')).toBeUndefined();
    await expect(payments.voidInvoice('in_none')).rejects.toMatchObject({ reason: 'not_found' });
    server.faults.push(401);
    await expect(payments.findCheckout('cs_none')).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('a failed or broken request to Stripe is retried under one key and takes effect once', async () => {
    const { customerId } = await buy();
    server.requests.length = 0;
    server.faults.push(500, 'cut after work');
    await payments.addCredit(customerId, { amount: 300, currency: 'eur', reason: 'again' }, 'retried');
    expect(server.account.get(customerId).balance).toBe(-300);
    const sent = posts(/balance_transactions$/);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    server.faults.push(503, 503, 503);
    await expect(payments.findCheckout('cs_1')).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('a reused idempotency key with other parameters is refused by Stripe', async () => {
    const { customerId } = await buy();
    const credit = { amount: 100, currency: 'eur', reason: 'one' };
    await payments.addCredit(customerId, credit, 'reused');
    const other = payments.addCredit(customerId, { ...credit, amount: 200 }, 'reused');
    await expect(other).rejects.toMatchObject({ reason: 'refused' });
    expect(server.account.get(customerId).balance).toBe(-100);
  });
});

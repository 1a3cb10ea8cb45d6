import { describe, expect, test } from 'vitest';
import { addInvoice } from '../support/stripe/invoices.ts';
import { useStripe } from '../support/stripe/suite.ts';
import { newCheckout, price } from './sandbox-data.ts';

const stripe = useStripe();
const basic = price('basic', 1000);
const pro = price('pro', 3000);
const { buy, subscriptionOf } = stripe;

const posts = (path: RegExp) =>
  stripe.server.requests.filter((request) => request.method === 'POST' && path.test(request.path));

describe('a checkout', () => {
  test('a Stripe checkout creates product and price once, and is unique per reference', async () => {
    const plan = price(`plan-${Date.now()}`, 500);
    const checkout = newCheckout(plan);
    const made = await Promise.all([1, 2, 3].map(() => stripe.payments.createCheckout(checkout)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made[0]).toMatchObject({ status: 'open', reference: checkout.reference, subscriptionId: null });
    const named = (kind: string) =>
      stripe.server.account.all(kind).filter((object) => JSON.stringify(object).includes(plan.planCode));
    expect([named('product').length, named('price').length]).toEqual([1, 1]);
    await stripe.payments.createCheckout(newCheckout({ ...plan, amount: 600 }));
    expect([named('product').length, named('price').length]).toEqual([1, 2]);
  });

  test('a paid Stripe checkout has a subscription that refers to the checkout and the plan', async () => {
    const { checkoutId, reference, subscriptionId, customerId } = await buy(basic);
    expect(await stripe.payments.findCheckout(checkoutId)).toEqual({
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
    const { id } = await stripe.payments.createCheckout(newCheckout(basic));
    await stripe.payments.expireCheckout(id);
    await stripe.payments.expireCheckout(id);
    expect(await stripe.payments.findCheckout(id)).toMatchObject({ status: 'expired', url: null });
    expect(posts(/expire$/)).toHaveLength(1);
  });
});

describe('invoices', () => {
  test('Stripe invoices are listed with all lines, and can be paid, voided or marked as uncollectible', async () => {
    const { subscriptionId, customerId } = await buy(basic);
    const subscription = stripe.server.account.get(subscriptionId);
    const many = Array.from({ length: 12 }, (_, position) => position);
    const [paid, voided, lost] = [many, [700], [800]].map((amounts) =>
      addInvoice(stripe.server.account, subscription, amounts, 'open'),
    );
    const before = await stripe.payments.listInvoices(subscriptionId);
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
    stripe.server.account.declines = 1;
    await expect(stripe.payments.retryInvoice(paid.id)).rejects.toMatchObject({ reason: 'declined' });
    await stripe.payments.retryInvoice(paid.id);
    await stripe.payments.voidInvoice(voided.id);
    await stripe.payments.markInvoiceUncollectible(lost.id);
    await expect(stripe.payments.retryInvoice(paid.id)).rejects.toMatchObject({ reason: 'refused' });
    const after = await stripe.payments.listInvoices(subscriptionId);
    expect(after.map(({ status }) => status)).toEqual(['uncollectible', 'void', 'paid', 'paid']);
    expect(after[2]).toMatchObject({ amountPaid: 66, paymentUrl: null, nextAttemptAt: null });
  });
});

describe('a plan change', () => {
  test('an immediate change at Stripe is collected at once, with one key for all repetitions', async () => {
    const { subscriptionId } = await buy(basic);
    expect(await stripe.payments.previewChange(subscriptionId, pro)).toMatchObject({
      currency: 'eur',
      amountDue: 1000,
    });
    await stripe.payments.changePlan(subscriptionId, pro, 'now', 'click');
    await stripe.payments.changePlan(subscriptionId, pro, 'now', 'click');
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', amount: 3000 });
    expect(await stripe.payments.listInvoices(subscriptionId)).toHaveLength(2);
    const keys = posts(/subscriptions\/sub_/).map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(1);
  });

  test('a declined immediate change at Stripe has no effect and keeps a pending change', async () => {
    const { subscriptionId } = await buy(pro);
    await stripe.payments.changePlan(subscriptionId, basic, 'period_end', 'later');
    const before = [await subscriptionOf(subscriptionId), await stripe.payments.listInvoices(subscriptionId)];
    stripe.server.account.declines = 1;
    const change = stripe.payments.changePlan(subscriptionId, price('huge', 9000), 'now', 'click');
    await expect(change).rejects.toMatchObject({ reason: 'declined' });
    expect([await subscriptionOf(subscriptionId), await stripe.payments.listInvoices(subscriptionId)]).toEqual(before);
  });

  test('a scheduled change at Stripe can be replaced and dropped, and is dropped by a cancellation', async () => {
    const { subscriptionId } = await buy(pro);
    const at = (await subscriptionOf(subscriptionId)).currentPeriodEndsAt;
    await stripe.payments.changePlan(subscriptionId, basic, 'period_end', 'a');
    const waiting = { planCode: 'basic', interval: 'month', amount: 1000, at };
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', pendingChange: waiting });
    await stripe.payments.changePlan(subscriptionId, price('basic', 9000, 'year'), 'period_end', 'b');
    expect((await subscriptionOf(subscriptionId)).pendingChange).toEqual({
      ...waiting,
      interval: 'year',
      amount: 9000,
    });
    await stripe.payments.cancelPendingChange(subscriptionId);
    await stripe.payments.cancelPendingChange(subscriptionId);
    expect((await subscriptionOf(subscriptionId)).pendingChange).toBeNull();
    await stripe.payments.changePlan(subscriptionId, basic, 'period_end', 'c');
    await stripe.payments.setCancelAtPeriodEnd(subscriptionId, true);
    const canceling = await subscriptionOf(subscriptionId);
    expect(canceling).toMatchObject({ cancelAtPeriodEnd: true, pendingChange: null });
    await expect(stripe.payments.changePlan(subscriptionId, basic, 'period_end', 'd')).rejects.toMatchObject({
      reason: 'refused',
    });
  });

  test('an immediate change at Stripe drops a pending change', async () => {
    const { subscriptionId } = await buy(basic);
    await stripe.payments.changePlan(subscriptionId, price('tiny', 100), 'period_end', 'a');
    await stripe.payments.changePlan(subscriptionId, pro, 'now', 'b');
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', pendingChange: null });
  });

  test('a change at Stripe is refused unless the subscription is active', async () => {
    const { subscriptionId } = await buy(basic);
    stripe.server.account.get(subscriptionId).status = 'past_due';
    for (const when of ['now', 'period_end'] as const) {
      await expect(stripe.payments.changePlan(subscriptionId, pro, when, 'a')).rejects.toMatchObject({
        reason: 'refused',
      });
    }
  });
});

describe('a cancellation', () => {
  test('a cancellation at Stripe can be withdrawn, also one that the portal stored as a time', async () => {
    const { subscriptionId } = await buy(basic);
    expect((await stripe.payments.previewRenewal(subscriptionId))?.amountDue).toBe(1000);
    await stripe.payments.setCancelAtPeriodEnd(subscriptionId, true);
    expect(await stripe.payments.previewRenewal(subscriptionId)).toBeUndefined();
    await stripe.payments.setCancelAtPeriodEnd(subscriptionId, false);
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ cancelAtPeriodEnd: false, canceledAt: null });
    const subscription = stripe.server.account.get(subscriptionId);
    subscription.cancel_at = subscription.items.data[0].current_period_end;
    expect((await subscriptionOf(subscriptionId)).cancelAtPeriodEnd).toBe(true);
    await stripe.payments.setCancelAtPeriodEnd(subscriptionId, false);
    expect((await subscriptionOf(subscriptionId)).cancelAtPeriodEnd).toBe(false);
  });

  test('an immediate cancellation at Stripe happens once', async () => {
    const { subscriptionId } = await buy(basic);
    await stripe.payments.cancelNow(subscriptionId);
    await stripe.payments.cancelNow(subscriptionId);
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false });
    expect(stripe.server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });
});

describe('a customer', () => {
  test('a Stripe customer gets billing details, a credit once per key, and a portal session', async () => {
    const { customerId } = await buy(basic);
    const address = { line1: '1 Main St', line2: null, city: 'Bern', postal_code: '3000', state: null, country: 'CH' };
    const details = { name: 'Acme', email: 'billing@example.com', address, taxId: 'CHE-123' };
    await stripe.payments.updateCustomer(customerId, details);
    expect(stripe.server.account.get(customerId)).toMatchObject({ name: 'Acme', address: { city: 'Bern', line2: '' } });
    await stripe.payments.updateCustomer(customerId, { ...details, address: null, taxId: null });
    expect(stripe.server.account.get(customerId).address).toBeNull();
    const credit = { amount: 400, currency: 'eur', reason: 'sorry' };
    await Promise.all([1, 2].map(() => stripe.payments.addCredit(customerId, credit, 'key')));
    expect(stripe.server.account.get(customerId).balance).toBe(-400);
    const { url } = await stripe.payments.createBillingPortalSession(customerId, 'http://localhost/billing');
    expect(url).toBe(`https://billing.stripe.test/${customerId}`);
  });
});

describe('Stripe', () => {
  test('an unknown object at Stripe is distinguished from an outage', async () => {
    expect(await stripe.payments.findCheckout('cs_none')).toBeUndefined();
    expect(await stripe.payments.findSubscription('sub_none')).toBeUndefined();
    await expect(stripe.payments.voidInvoice('in_none')).rejects.toMatchObject({ reason: 'not_found' });
    stripe.server.faults.push(401);
    await expect(stripe.payments.findCheckout('cs_none')).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('a failed or broken request to Stripe is retried under one key and takes effect once', async () => {
    const { customerId } = await buy(basic);
    stripe.server.requests.length = 0;
    stripe.server.faults.push(500, 'cut after work');
    await stripe.payments.addCredit(customerId, { amount: 300, currency: 'eur', reason: 'again' }, 'retried');
    expect(stripe.server.account.get(customerId).balance).toBe(-300);
    const sent = posts(/balance_transactions$/);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    stripe.server.faults.push(503, 503, 503);
    await expect(stripe.payments.findCheckout('cs_1')).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('a reused idempotency key with other parameters is refused by Stripe', async () => {
    const { customerId } = await buy(basic);
    const credit = { amount: 100, currency: 'eur', reason: 'one' };
    await stripe.payments.addCredit(customerId, credit, 'reused');
    const other = stripe.payments.addCredit(customerId, { ...credit, amount: 200 }, 'reused');
    await expect(other).rejects.toMatchObject({ reason: 'refused' });
    expect(stripe.server.account.get(customerId).balance).toBe(-100);
  });
});

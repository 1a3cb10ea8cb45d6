import { beforeEach, describe, expect, test } from 'vitest';
import type { Timestamp } from '../../src/lib/clock.ts';
import { addDays } from '../../src/lib/duration.ts';
import { useApp, useClock } from '../support/harness.ts';
import { buy, card, dayMs, newCheckout, price, sandboxOf } from './sandbox-data.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
useClock();

const basic = price('basic', 1000);
const pro = price('pro', 3000);

let { sandbox, payments } = {} as ReturnType<typeof sandboxOf>;

beforeEach(() => {
  ({ sandbox, payments } = sandboxOf(suite.app));
});

async function subscriptionOf(id: string) {
  const subscription = await payments.findSubscription(id);
  if (subscription === undefined) throw new Error(`There is no subscription ${id}.`);
  return subscription;
}

const advanceTo = (to: Timestamp) => sandbox.advanceClock({ to });
const endOf = async (id: string) => (await subscriptionOf(id)).currentPeriodEndsAt;

describe('a checkout', () => {
  test('a checkout is the same for every call with its reference', async () => {
    const checkout = newCheckout(basic);
    const made = await Promise.all([1, 2, 3].map(() => payments.createCheckout(checkout)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made[0]).toMatchObject({ status: 'open', reference: checkout.reference, subscriptionId: null });
    expect(made[0]?.url).toContain('/sandbox/checkout/cs_');
  });

  test('a checkout that is paid several times has one subscription and one paid invoice', async () => {
    const { id, reference } = await payments.createCheckout(newCheckout(basic));
    await Promise.all([1, 2, 3, 4].map(() => sandbox.pay(id, card('good'))));
    const { status, url, subscriptionId } = (await payments.findCheckout(id)) ?? {};
    expect([status, url]).toEqual(['complete', null]);
    const subscription = await subscriptionOf(subscriptionId ?? '');
    expect(subscription).toMatchObject({ reference, status: 'active', planCode: 'basic', amount: 1000 });
    const invoices = await payments.listInvoices(subscription.id);
    expect(invoices).toMatchObject([{ status: 'paid', total: 1000, amountPaid: 1000, attemptCount: 1 }]);
  });

  test.each(['declined', 'insufficient'] as const)(
    'a checkout stays open after a payment with the card %s',
    async (name) => {
      const { id } = await payments.createCheckout(newCheckout(basic));
      await expect(sandbox.pay(id, card(name))).rejects.toMatchObject({ reason: 'declined' });
      expect(await payments.findCheckout(id)).toMatchObject({ status: 'open', subscriptionId: null });
    },
  );

  test('a checkout expires after a day and cannot be paid then', async () => {
    const { id } = await payments.createCheckout(newCheckout(basic));
    await sandbox.advanceClock({ byMs: dayMs });
    expect(await payments.findCheckout(id)).toMatchObject({ status: 'expired', url: null });
    await expect(sandbox.pay(id, card('good'))).rejects.toMatchObject({ reason: 'refused' });
  });

  test('an expired checkout cannot be paid, and a paid checkout cannot be expired', async () => {
    const ended = await payments.createCheckout(newCheckout(basic));
    await payments.expireCheckout(ended.id);
    await payments.expireCheckout(ended.id);
    await expect(sandbox.pay(ended.id, card('good'))).rejects.toMatchObject({ reason: 'refused' });
    const paid = await payments.createCheckout(newCheckout(basic));
    await sandbox.pay(paid.id, card('good'));
    await payments.expireCheckout(paid.id);
    expect(await payments.findCheckout(paid.id)).toMatchObject({ status: 'complete' });
  });

  test.each([-1, 1.5, 100_000_000, Number.NaN])('a checkout with the amount %s is refused', async (amount) => {
    const refused = payments.createCheckout(newCheckout(price('odd', amount)));
    await expect(refused).rejects.toMatchObject({ reason: 'refused' });
  });
});

describe('a renewal', () => {
  test('a late renewal charges each period once', async () => {
    const { subscriptionId } = await buy(suite.app, basic);
    const end = await endOf(subscriptionId);
    await advanceTo(end);
    expect(await payments.listInvoices(subscriptionId)).toHaveLength(2);
    await sandbox.advanceClock({ byMs: 95 * dayMs });
    const invoices = await payments.listInvoices(subscriptionId);
    expect(invoices.map(({ status }) => status)).toEqual(['paid', 'paid', 'paid', 'paid', 'paid']);
    expect(invoices.map(({ createdAt }) => createdAt)).toEqual(
      invoices
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .reverse(),
    );
  });

  test('a failed renewal is retried after 3, 5 and 7 days, and then the subscription is unpaid', async () => {
    const { subscriptionId } = await buy(suite.app, basic, 'failsLater');
    let at = await endOf(subscriptionId);
    for (const [attempt, days] of [3, 5, 7, null].entries()) {
      await advanceTo(at);
      const [invoice] = await payments.listInvoices(subscriptionId);
      const nextAttemptAt = days === null ? null : addDays(at, days);
      expect(invoice).toMatchObject({ status: 'open', attemptCount: attempt + 1, nextAttemptAt, amountPaid: 0 });
      expect((await subscriptionOf(subscriptionId)).status).toBe(days === null ? 'unpaid' : 'past_due');
      at = nextAttemptAt ?? at;
    }
  });

  test('a failed renewal that is paid later reactivates the subscription', async () => {
    const { subscriptionId, customerId } = await buy(suite.app, basic, 'failsLater');
    await advanceTo(await endOf(subscriptionId));
    const [invoice] = await payments.listInvoices(subscriptionId);
    const id = invoice?.id ?? '';
    await expect(payments.retryInvoice(id)).rejects.toMatchObject({ reason: 'declined' });
    expect((await payments.listInvoices(subscriptionId))[0]).toMatchObject({ attemptCount: 2, status: 'open' });
    await sandbox.changeCard(customerId, card('good'));
    const results = await Promise.allSettled([payments.retryInvoice(id), payments.retryInvoice(id)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await payments.listInvoices(subscriptionId))[0]).toMatchObject({ status: 'paid', amountPaid: 1000 });
    expect((await subscriptionOf(subscriptionId)).status).toBe('active');
  });

  test.each([
    ['void', 'past_due', 'active'],
    ['uncollectible', 'past_due', 'active'],
    ['void', 'unpaid', 'active'],
    ['uncollectible', 'unpaid', 'unpaid'],
  ] as const)(
    'settling the open invoice as %s while the subscription is %s leaves it %s',
    async (settled, status, expected) => {
      const { subscriptionId } = await buy(suite.app, basic, 'failsLater');
      const end = await endOf(subscriptionId);
      await advanceTo(status === 'unpaid' ? addDays(end, 15) : end);
      expect((await subscriptionOf(subscriptionId)).status).toBe(status);
      const [invoice] = await payments.listInvoices(subscriptionId);
      if (settled === 'void') await payments.voidInvoice(invoice?.id ?? '');
      else await payments.markInvoiceUncollectible(invoice?.id ?? '');
      expect((await payments.listInvoices(subscriptionId))[0]).toMatchObject({ status: settled, nextAttemptAt: null });
      expect((await subscriptionOf(subscriptionId)).status).toBe(expected);
    },
  );
});

describe('a plan change', () => {
  test('an immediate change credits the unused days and collects the difference to the new price', async () => {
    const { subscriptionId } = await buy(suite.app, basic);
    const before = await subscriptionOf(subscriptionId);
    await sandbox.advanceClock({ to: addDays(before.currentPeriodEndsAt, -23.5) });
    const preview = await payments.previewChange(subscriptionId, pro);
    expect(preview.lines.map(({ amount }) => amount)).toEqual([-800, 2400]);
    expect(preview.amountDue).toBe(1600);
    await Promise.all([1, 2, 3].map(() => payments.changePlan(subscriptionId, pro, 'now', 'one-click')));
    const [invoice, ...others] = await payments.listInvoices(subscriptionId);
    expect(invoice).toMatchObject({ status: 'paid', total: 1600, amountPaid: 1600 });
    expect(others).toHaveLength(1);
    const { currentPeriodEndsAt } = before;
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', amount: 3000, currentPeriodEndsAt });
  });

  test('a declined immediate change has no effect', async () => {
    const { subscriptionId } = await buy(suite.app, basic, 'failsLater');
    const before = [await subscriptionOf(subscriptionId), await payments.listInvoices(subscriptionId)];
    const change = payments.changePlan(subscriptionId, pro, 'now', 'a');
    await expect(change).rejects.toMatchObject({ reason: 'declined' });
    expect([await subscriptionOf(subscriptionId), await payments.listInvoices(subscriptionId)]).toEqual(before);
  });

  test('an immediate change to a lower price leaves a credit for later invoices', async () => {
    const { subscriptionId } = await buy(suite.app, pro);
    await payments.changePlan(subscriptionId, basic, 'now', 'a');
    expect((await payments.listInvoices(subscriptionId))[0]).toMatchObject({
      status: 'paid',
      total: -2000,
      amountPaid: 0,
    });
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(0);
    await advanceTo(await endOf(subscriptionId));
    await advanceTo(await endOf(subscriptionId));
    await advanceTo(await endOf(subscriptionId));
    const paid = (await payments.listInvoices(subscriptionId)).slice(0, 3).map(({ amountPaid }) => amountPaid);
    expect(paid).toEqual([1000, 0, 0]);
  });

  test('an immediate change to another interval starts a new period', async () => {
    const { subscriptionId } = await buy(suite.app, basic);
    await payments.changePlan(subscriptionId, price('basic', 10_000, 'year'), 'now', 'a');
    const { interval, currentPeriodStartsAt, currentPeriodEndsAt } = await subscriptionOf(subscriptionId);
    expect(interval).toBe('year');
    expect(Number(currentPeriodEndsAt.slice(0, 4)) - Number(currentPeriodStartsAt.slice(0, 4))).toBe(1);
  });

  test('a scheduled change waits for the period, and is dropped on request and by a cancellation', async () => {
    const { subscriptionId } = await buy(suite.app, pro);
    const end = await endOf(subscriptionId);
    await payments.changePlan(subscriptionId, basic, 'period_end', 'a');
    const waiting = { planCode: 'basic', interval: 'month', amount: 1000, at: end };
    expect((await subscriptionOf(subscriptionId)).pendingChange).toEqual(waiting);
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(1000);
    await payments.cancelPendingChange(subscriptionId);
    expect((await subscriptionOf(subscriptionId)).pendingChange).toBeNull();
    await payments.changePlan(subscriptionId, basic, 'period_end', 'b');
    await advanceTo(end);
    expect(await subscriptionOf(subscriptionId)).toMatchObject({
      planCode: 'basic',
      amount: 1000,
      pendingChange: null,
    });
    expect((await payments.listInvoices(subscriptionId))[0]).toMatchObject({ total: 1000 });
    await payments.changePlan(subscriptionId, pro, 'period_end', 'c');
    await payments.setCancelAtPeriodEnd(subscriptionId, true);
    expect((await subscriptionOf(subscriptionId)).pendingChange).toBeNull();
  });

  test('a change is refused while a payment is overdue, in another currency, and after the end', async () => {
    const { subscriptionId } = await buy(suite.app, basic, 'failsLater');
    const refused = { reason: 'refused' };
    const other = { ...pro, currency: 'usd' };
    await expect(payments.changePlan(subscriptionId, other, 'now', 'a')).rejects.toMatchObject(refused);
    await advanceTo(await endOf(subscriptionId));
    await expect(payments.changePlan(subscriptionId, pro, 'now', 'b')).rejects.toMatchObject(refused);
    await payments.cancelNow(subscriptionId);
    await expect(payments.changePlan(subscriptionId, pro, 'period_end', 'c')).rejects.toMatchObject(refused);
    await expect(payments.setCancelAtPeriodEnd(subscriptionId, false)).rejects.toMatchObject(refused);
  });
});

describe('a cancellation', () => {
  test('a cancellation with the period can be withdrawn before it, and prevents further charges', async () => {
    const { subscriptionId } = await buy(suite.app, basic);
    await payments.setCancelAtPeriodEnd(subscriptionId, true);
    expect(await payments.previewRenewal(subscriptionId)).toBeUndefined();
    await payments.setCancelAtPeriodEnd(subscriptionId, false);
    await advanceTo(await endOf(subscriptionId));
    expect((await subscriptionOf(subscriptionId)).status).toBe('active');
    await payments.setCancelAtPeriodEnd(subscriptionId, true);
    await advanceTo(await endOf(subscriptionId));
    expect((await subscriptionOf(subscriptionId)).status).toBe('canceled');
    await sandbox.advanceClock({ byMs: 60 * dayMs });
    expect(await payments.listInvoices(subscriptionId)).toHaveLength(2);
  });

  test('an immediate cancellation stops the retries of open invoices', async () => {
    const { subscriptionId } = await buy(suite.app, basic, 'failsLater');
    await advanceTo(await endOf(subscriptionId));
    await payments.cancelNow(subscriptionId);
    await payments.cancelNow(subscriptionId);
    await sandbox.advanceClock({ byMs: 60 * dayMs });
    expect((await payments.listInvoices(subscriptionId))[0]).toMatchObject({ status: 'open', attemptCount: 1 });
    expect((await subscriptionOf(subscriptionId)).status).toBe('canceled');
  });
});

describe('credit', () => {
  test('a credit lowers the next invoice once per key, and a void invoice restores it', async () => {
    const { subscriptionId, customerId } = await buy(suite.app, basic, 'failsLater');
    const credit = { amount: 400, currency: 'eur', reason: 'sorry' };
    await Promise.all([1, 2].map(() => payments.addCredit(customerId, credit, 'key')));
    await advanceTo(await endOf(subscriptionId));
    const [invoice] = await payments.listInvoices(subscriptionId);
    expect(invoice).toMatchObject({ total: 1000, amountDue: 600, status: 'open' });
    await payments.voidInvoice(invoice?.id ?? '');
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(600);
  });
});

describe('unknown ids', () => {
  test('calls with unknown ids fail as not found', async () => {
    expect(await payments.findCheckout('cs_none')).toBeUndefined();
    expect(await payments.findSubscription('sub_none')).toBeUndefined();
    const missing = await Promise.allSettled([
      payments.voidInvoice('in_none'),
      payments.cancelNow('sub_none'),
      payments.createBillingPortalSession('cus_none', 'http://localhost'),
      payments.previewRenewal('sub_none'),
    ]);
    for (const one of missing) expect(one).toMatchObject({ status: 'rejected', reason: { reason: 'not_found' } });
  });
});

describe("the sandbox's clock", () => {
  test.each([{ byMs: -1 }, { byMs: 800 * dayMs }, { to: '2001-01-01T00:00:00.000000Z' }])(
    "the sandbox's clock refuses the advance %j",
    async (advance) => {
      const before = await payments.now();
      await expect(sandbox.advanceClock(advance)).rejects.toMatchObject({ reason: 'refused' });
      expect(await payments.now()).toBe(before);
    },
  );
});

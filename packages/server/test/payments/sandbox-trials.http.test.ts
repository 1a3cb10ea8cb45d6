import { beforeEach, describe, expect, test } from 'vitest';
import type { Timestamp } from '../../src/lib/clock.ts';
import { addDays } from '../../src/lib/duration.ts';
import { useApp, useClock } from '../support/harness.ts';
import { buy, card, newCheckout, price, sandboxOf } from './sandbox-data.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
useClock();

const basic = price('basic', 1000);
const pro = price('pro', 3000);

let { sandbox, payments } = {} as ReturnType<typeof sandboxOf>;

beforeEach(() => {
  ({ sandbox, payments } = sandboxOf(suite.app));
});

const advanceTo = (to: Timestamp) => sandbox.advanceClock({ to });
const invoicesOf = (id: string) => payments.listInvoices(id);

async function subscriptionOf(id: string) {
  const subscription = await payments.findSubscription(id);
  if (subscription === undefined) throw new Error(`There is no subscription ${id}.`);
  return subscription;
}

/** Starts a trial of 14 days. Returns its ids and its end. */
async function startTrial(cardName: Parameters<typeof buy>[2], trialDays = 14) {
  const bought = await buy(suite.app, basic, cardName, { trialDays });
  return { ...bought, endsAt: (await subscriptionOf(bought.subscriptionId)).trialEndsAt ?? '' };
}

/** Returns the types of the events about a subscription, except updates, in their order. */
async function eventsOf(subscriptionId: string): Promise<string[]> {
  const rows = await suite.app.services.platform.query.selectFrom('sandbox_events').select('body').execute();
  const events = rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.object.id === subscriptionId);
  return events
    .map(({ type }) => type)
    .filter((type) => type !== 'customer.subscription.updated')
    .toSorted();
}

const reminder = 'customer.subscription.trial_will_end';

describe('a trial', () => {
  test('a trial starts without a card and without an invoice, and its page takes a card optionally', async () => {
    const { subscriptionId, endsAt } = await startTrial(null);
    const subscription = await subscriptionOf(subscriptionId);
    expect(subscription).toMatchObject({ status: 'trialing', hasPaymentMethod: false, currentPeriodEndsAt: endsAt });
    expect(endsAt).toBe(addDays(subscription.createdAt, 14));
    expect(await invoicesOf(subscriptionId)).toEqual([]);
    expect(await payments.previewRenewal(subscriptionId)).toBeUndefined();
  });

  test('a checkout without a trial needs a card, and a declined card starts no trial', async () => {
    const paid = await payments.createCheckout(newCheckout(basic));
    await expect(sandbox.pay(paid.id, null)).rejects.toMatchObject({ reason: 'declined' });
    const trial = await payments.createCheckout(newCheckout(basic, 14));
    await expect(sandbox.pay(trial.id, card('declined'))).rejects.toMatchObject({ reason: 'declined' });
    expect(await payments.findCheckout(trial.id)).toMatchObject({ status: 'open', subscriptionId: null });
  });

  test('the end of a trial charges the card, and the paid periods are counted from it', async () => {
    const { subscriptionId, endsAt } = await startTrial('good');
    expect(await payments.previewRenewal(subscriptionId)).toMatchObject({ amountDue: 1000, at: endsAt });
    await advanceTo(endsAt);
    const subscription = await subscriptionOf(subscriptionId);
    expect(subscription).toMatchObject({ status: 'active', currentPeriodStartsAt: endsAt, trialEndsAt: endsAt });
    expect(subscription.currentPeriodEndsAt.slice(8, 10)).toBe(endsAt.slice(8, 10));
    expect(await invoicesOf(subscriptionId)).toMatchObject([{ status: 'paid', total: 1000, createdAt: endsAt }]);
  });

  test('a trial with a card that fails ends past due, and one without a card ends canceled without an invoice', async () => {
    const [failing, without] = [await startTrial('failsLater'), await startTrial(null)];
    await advanceTo(without.endsAt);
    expect((await subscriptionOf(failing.subscriptionId)).status).toBe('past_due');
    expect(await subscriptionOf(without.subscriptionId)).toMatchObject({
      status: 'canceled',
      canceledAt: without.endsAt,
    });
    expect(await invoicesOf(without.subscriptionId)).toEqual([]);
    expect(await eventsOf(without.subscriptionId)).toContain('customer.subscription.deleted');
  });

  test('a card that is added during a trial is charged at its end', async () => {
    const { subscriptionId, customerId, endsAt } = await startTrial(null);
    await sandbox.changeCard(customerId, card('good'));
    expect((await subscriptionOf(subscriptionId)).hasPaymentMethod).toBe(true);
    await advanceTo(endsAt);
    expect((await subscriptionOf(subscriptionId)).status).toBe('active');
  });

  test('a trial that is canceled with its period ends without a charge', async () => {
    const { subscriptionId, endsAt } = await startTrial('good');
    await payments.setCancelAtPeriodEnd(subscriptionId, true);
    await advanceTo(endsAt);
    expect((await subscriptionOf(subscriptionId)).status).toBe('canceled');
    expect(await invoicesOf(subscriptionId)).toEqual([]);
  });
});

describe('the reminder of the end of a trial', () => {
  test('the event is sent once, 3 days before the end, and again before a later end', async () => {
    const { subscriptionId, endsAt } = await startTrial('good');
    await advanceTo(addDays(endsAt, -3.01));
    expect(await eventsOf(subscriptionId)).not.toContain(reminder);
    await advanceTo(addDays(endsAt, -3));
    await advanceTo(addDays(endsAt, -2));
    const sent = async () => (await eventsOf(subscriptionId)).filter((type) => type === reminder).length;
    expect(await sent()).toBe(1);
    await payments.extendTrial(subscriptionId, addDays(endsAt, 10));
    await advanceTo(addDays(endsAt, 6));
    expect(await sent()).toBe(1);
    await advanceTo(addDays(endsAt, 8));
    expect(await sent()).toBe(2);
    await advanceTo(addDays(endsAt, 60));
    expect(await sent()).toBe(2);
  });

  test('a trial of fewer than 3 days sends the event at once', async () => {
    const { subscriptionId } = await startTrial(null, 2);
    expect(await eventsOf(subscriptionId)).toContain(reminder);
  });
});

describe('a longer trial', () => {
  test('a trial that is extended charges at its new end only', async () => {
    const { subscriptionId, endsAt } = await startTrial('good');
    const later = addDays(endsAt, 20);
    await payments.extendTrial(subscriptionId, later);
    await payments.extendTrial(subscriptionId, later);
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ trialEndsAt: later, currentPeriodEndsAt: later });
    await advanceTo(endsAt);
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ status: 'trialing' });
    await advanceTo(later);
    expect(await invoicesOf(subscriptionId)).toMatchObject([{ status: 'paid', createdAt: later }]);
  });

  test('an extension is refused outside a trial, to the past, and by more than two years', async () => {
    const refused = { reason: 'refused' };
    const active = await buy(suite.app, basic);
    const { subscriptionId, endsAt } = await startTrial('good');
    await expect(payments.extendTrial(active.subscriptionId, addDays(endsAt, 1))).rejects.toMatchObject(refused);
    const now = await payments.now();
    await expect(payments.extendTrial(subscriptionId, now)).rejects.toMatchObject(refused);
    await expect(payments.extendTrial(subscriptionId, addDays(now, 731))).rejects.toMatchObject(refused);
    expect((await subscriptionOf(subscriptionId)).trialEndsAt).toBe(endsAt);
  });
});

describe('a plan change in a trial', () => {
  test.each(['now', 'now_unprorated'] as const)(
    'the change %s costs nothing, keeps the trial, and the new plan is charged at its end',
    async (when) => {
      const { subscriptionId, endsAt } = await startTrial('good');
      const yearly = { ...pro, interval: 'year' } as const;
      expect(await payments.previewChange(subscriptionId, yearly)).toMatchObject({ amountDue: 0, lines: [] });
      await payments.changePlan(subscriptionId, yearly, when, 'a');
      const changed = { status: 'trialing', planCode: 'pro', trialEndsAt: endsAt, currentPeriodEndsAt: endsAt };
      expect(await subscriptionOf(subscriptionId)).toMatchObject(changed);
      expect(await invoicesOf(subscriptionId)).toEqual([]);
      await advanceTo(endsAt);
      const { interval, currentPeriodEndsAt } = await subscriptionOf(subscriptionId);
      expect([interval, Number(currentPeriodEndsAt.slice(0, 4))]).toEqual(['year', Number(endsAt.slice(0, 4)) + 1]);
      expect(await invoicesOf(subscriptionId)).toMatchObject([{ total: 3000 }]);
    },
  );
});

describe('a change that is not prorated', () => {
  test('a change without proration makes no invoice, and the next period has the new price and interval', async () => {
    const { subscriptionId } = await buy(suite.app, basic);
    const { currentPeriodEndsAt: end } = await subscriptionOf(subscriptionId);
    await payments.changePlan(subscriptionId, { ...pro, interval: 'year' }, 'now_unprorated', 'a');
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', currentPeriodEndsAt: end });
    expect(await invoicesOf(subscriptionId)).toHaveLength(1);
    // What is unused is a part of what was charged, whatever the plan is called now.
    const [unused] = (await payments.previewChange(subscriptionId, { ...basic, interval: 'month' })).lines;
    expect(unused?.amount).toBe(-1000);
    await advanceTo(end);
    expect((await invoicesOf(subscriptionId))[0]).toMatchObject({ total: 3000, createdAt: end });
    const { currentPeriodEndsAt } = await subscriptionOf(subscriptionId);
    expect(currentPeriodEndsAt).toBe(`${Number(end.slice(0, 4)) + 1}${end.slice(4)}`);
  });
});

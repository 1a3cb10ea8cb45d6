import { beforeEach, describe, expect, test } from 'vitest';
import { addDays } from '../../src/lib/duration.ts';
import type { Coupon } from '../../src/payments/provider.ts';
import { useApp, useClock } from '../support/harness.ts';
import { buy, card, dayMs, newCheckout, price, sandboxOf } from './sandbox-data.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
useClock();

const basic = price('basic', 1000);
const pro = price('pro', 3000);
const refused = { reason: 'refused' };

let { sandbox, payments } = {} as ReturnType<typeof sandboxOf>;

beforeEach(() => {
  ({ sandbox, payments } = sandboxOf(suite.app));
});

let couponCount = 0;

/** Creates a coupon of 50 percent that applies forever, unless the fields say otherwise. Returns its code. */
async function offerCoupon(fields: Partial<Coupon> = {}): Promise<string> {
  couponCount += 1;
  const coupon: Coupon = {
    code: `SAVE${couponCount}`,
    name: 'Save',
    percentOff: 50,
    amountOff: null,
    currency: null,
    duration: 'forever',
    durationMonths: null,
    expiresAt: null,
    maxRedemptions: null,
    ...fields,
  };
  await payments.createCoupon(coupon);
  await payments.createCoupon(coupon);
  return coupon.code;
}

const fixed = (amountOff: number): Partial<Coupon> => ({ percentOff: null, amountOff, currency: 'eur' });
const buyWith = (coupon: string) => buy(suite.app, basic, 'good', { coupon });

async function subscriptionOf(id: string) {
  const subscription = await payments.findSubscription(id);
  if (subscription === undefined) throw new Error(`There is no subscription ${id}.`);
  return subscription;
}

/** Renews a subscription a number of times. Returns what all its invoices took off and cost, the oldest first. */
async function renew(subscriptionId: string, times: number) {
  for (let time = 0; time < times; time += 1) {
    await sandbox.advanceClock({ to: (await subscriptionOf(subscriptionId)).currentPeriodEndsAt });
  }
  const invoices = (await payments.listInvoices(subscriptionId)).toReversed();
  return invoices.map(({ discount, amountPaid }) => [discount, amountPaid]);
}

describe('a discount', () => {
  test('a coupon that applies once lowers the first invoice, and its rest is not carried over', async () => {
    const { subscriptionId } = await buyWith(await offerCoupon({ ...fixed(1500), duration: 'once' }));
    expect((await subscriptionOf(subscriptionId)).discount).toBeNull();
    expect(await renew(subscriptionId, 1)).toEqual([
      [1000, 0],
      [0, 1000],
    ]);
  });

  test('a coupon that applies once waits for the end of a trial', async () => {
    const coupon = await offerCoupon({ duration: 'once' });
    const { subscriptionId } = await buy(suite.app, basic, 'good', { coupon, trialDays: 14 });
    expect((await subscriptionOf(subscriptionId)).discount).toMatchObject({ couponCode: coupon, duration: 'once' });
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(500);
    expect(await renew(subscriptionId, 2)).toEqual([
      [500, 500],
      [0, 1000],
    ]);
  });

  test('a coupon for two months lowers two invoices, and its end is an event at its time', async () => {
    const coupon = await offerCoupon({ duration: 'repeating', durationMonths: 2 });
    const { subscriptionId } = await buyWith(coupon);
    const { discount, currentPeriodEndsAt } = await subscriptionOf(subscriptionId);
    expect(discount).toMatchObject({ couponCode: coupon, percentOff: 50, amountOff: null });
    expect(await renew(subscriptionId, 2)).toEqual([
      [500, 500],
      [500, 500],
      [0, 1000],
    ]);
    expect((await subscriptionOf(subscriptionId)).discount).toBeNull();
    expect((discount?.endsAt ?? '') > currentPeriodEndsAt).toBe(true);
    const yearly = await buy(suite.app, { ...basic, interval: 'year' }, 'good', { coupon });
    const endsAt = (await subscriptionOf(yearly.subscriptionId)).discount?.endsAt ?? '';
    await sandbox.advanceClock({ to: endsAt });
    expect((await subscriptionOf(yearly.subscriptionId)).discount).toBeNull();
  });

  test('a coupon that applies forever lowers every invoice, in currencies with 0 and 3 decimal places too', async () => {
    const coupon = await offerCoupon({ percentOff: 33.33 });
    for (const [currency, off] of [
      ['jpy', 333],
      ['kwd', 333],
    ] as const) {
      const { subscriptionId } = await buy(suite.app, { ...basic, currency }, 'good', { coupon });
      expect(await renew(subscriptionId, 1)).toEqual([
        [off, 1000 - off],
        [off, 1000 - off],
      ]);
    }
  });

  test('a plan change credits what was paid after the discount, and discounts the new price', async () => {
    const { subscriptionId } = await buyWith(await offerCoupon());
    expect((await payments.previewChange(subscriptionId, pro)).amountDue).toBe(1000);
    await payments.changePlan(subscriptionId, pro, 'now', 'up');
    const [upgrade] = await payments.listInvoices(subscriptionId);
    expect(upgrade).toMatchObject({ subtotal: 2500, discount: 1500, amountPaid: 1000 });
    await payments.changePlan(subscriptionId, basic, 'now', 'down');
    const [downgrade] = await payments.listInvoices(subscriptionId);
    expect(downgrade).toMatchObject({ subtotal: -1000, discount: 0, total: -1000, amountPaid: 0 });
    // Everything is as before: half of the price was paid, and the credit is what the upgrade cost.
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(0);
    expect(await renew(subscriptionId, 3)).toEqual([
      [500, 500],
      [1500, 1000],
      [0, 0],
      [500, 0],
      [500, 0],
      [500, 500],
    ]);
  });

  test('changing the plan again and again takes a fixed amount off a period only once', async () => {
    const { subscriptionId } = await buyWith(await offerCoupon(fixed(400)));
    for (const turn of [1, 2, 3]) {
      await payments.changePlan(subscriptionId, pro, 'now', `up ${turn}`);
      await payments.changePlan(subscriptionId, basic, 'now', `down ${turn}`);
    }
    const invoices = await payments.listInvoices(subscriptionId);
    expect(invoices.reduce((sum, { total }) => sum + total, 0)).toBe(600);
  });
});

describe('the redemption of a coupon', () => {
  test('a declined payment redeems nothing', async () => {
    const coupon = await offerCoupon({ maxRedemptions: 1 });
    const { id } = await payments.createCheckout(newCheckout(basic));
    await expect(sandbox.pay(id, card('declined'), { coupon })).rejects.toMatchObject({ reason: 'declined' });
    expect(await payments.countRedemptions(coupon)).toBe(0);
    await sandbox.pay(id, card('good'), { coupon });
    expect(await payments.countRedemptions(coupon)).toBe(1);
  });

  test('an unknown, inactive, expired or used coupon, and one of another currency, is refused', async () => {
    const now = await payments.now();
    const inactive = await offerCoupon();
    await payments.deactivateCoupon(inactive);
    await payments.deactivateCoupon('NOBODY');
    const expired = await offerCoupon({ expiresAt: addDays(now, 1) });
    const foreign = await offerCoupon({ ...fixed(100), currency: 'usd' });
    const used = await offerCoupon({ maxRedemptions: 1 });
    await buyWith(used);
    const { subscriptionId } = await buy(suite.app, basic);
    await sandbox.advanceClock({ byMs: dayMs });
    for (const code of ['NOBODY', inactive, expired, foreign, used]) {
      await expect(payments.applyCoupon(subscriptionId, code, code)).rejects.toMatchObject(refused);
      await expect(buyWith(code)).rejects.toMatchObject(refused);
    }
    expect((await subscriptionOf(subscriptionId)).discount).toBeNull();
    expect(await payments.countRedemptions('NOBODY')).toBeUndefined();
  });

  test('a coupon replaces the discount of a subscription once per key', async () => {
    const [first, second] = [await offerCoupon(), await offerCoupon(fixed(300))];
    const { subscriptionId } = await buyWith(first);
    await Promise.all([1, 2, 3].map(() => payments.applyCoupon(subscriptionId, second, 'key')));
    expect(await payments.countRedemptions(second)).toBe(1);
    expect((await subscriptionOf(subscriptionId)).discount).toMatchObject({ couponCode: second, amountOff: 300 });
    expect(await renew(subscriptionId, 1)).toEqual([
      [500, 500],
      [300, 700],
    ]);
    await payments.cancelNow(subscriptionId);
    await expect(payments.applyCoupon(subscriptionId, first, 'late')).rejects.toMatchObject(refused);
  });

  test('the discount of a deactivated coupon stays', async () => {
    const coupon = await offerCoupon();
    const { subscriptionId } = await buyWith(coupon);
    await payments.deactivateCoupon(coupon);
    expect((await payments.previewRenewal(subscriptionId))?.amountDue).toBe(500);
  });
});

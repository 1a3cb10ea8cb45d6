import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useStripe } from '../support/stripe/suite.ts';
import { dayMs, price } from './sandbox-data.ts';
import { details, newCoupon } from './stripe-data.ts';

const stripe = useStripe();
const { buy, subscriptionOf } = stripe;
const basic = price('basic', 1000);
const pro = price('pro', 3000);
const { address } = details;

const refused = { reason: 'refused' };

describe('a trial', () => {
  test('a trial at Stripe needs no card, ends as canceled without one, and can be extended', async () => {
    const { subscriptionId, checkoutId } = await buy(basic, { trialDays: 14, hasCard: false });
    const { form } = stripe.server.account.hidden.get(checkoutId);
    expect(form).toMatchObject({
      payment_method_collection: 'if_required',
      subscription_data: {
        trial_period_days: '14',
        trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
      },
    });
    const before = await subscriptionOf(subscriptionId);
    expect(before).toMatchObject({ status: 'trialing', hasPaymentMethod: false });
    const later = new Date(Date.parse(before.trialEndsAt ?? '') + 7 * dayMs).toISOString();
    await stripe.payments.extendTrial(subscriptionId, later);
    const after = await subscriptionOf(subscriptionId);
    expect(Date.parse(after.trialEndsAt ?? '')).toBe(Date.parse(later));
  });

  test('a trial at Stripe has a payment method when its subscription or its customer has one', async () => {
    const { subscriptionId } = await buy(basic, { trialDays: 14 });
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ status: 'trialing', hasPaymentMethod: true });
    const other = await buy(basic, { trialDays: 14, hasCard: false });
    stripe.server.account.get(other.customerId).invoice_settings.default_payment_method = 'pm_1';
    expect((await subscriptionOf(other.subscriptionId)).hasPaymentMethod).toBe(true);
  });

  test('a plan change at the end of a trial at Stripe keeps the trial, which then cannot be extended', async () => {
    const { subscriptionId } = await buy(basic, { trialDays: 14 });
    await stripe.payments.changePlan(subscriptionId, pro, 'period_end', 'a');
    expect(await subscriptionOf(subscriptionId)).toMatchObject({
      status: 'trialing',
      pendingChange: { planCode: 'pro' },
    });
    const later = new Date(Date.now() + 30 * dayMs).toISOString();
    await expect(stripe.payments.extendTrial(subscriptionId, later)).rejects.toMatchObject(refused);
  });

  test('only a running trial at Stripe can be extended', async () => {
    const { subscriptionId } = await buy(basic);
    const later = new Date(Date.now() + 30 * dayMs).toISOString();
    await expect(stripe.payments.extendTrial(subscriptionId, later)).rejects.toMatchObject(refused);
  });
});

describe('a coupon', () => {
  test('a coupon at Stripe is created once, also after a call that was interrupted', async () => {
    const coupon = newCoupon({ name: 'x'.repeat(60), maxRedemptions: 3, expiresAt: '2030-01-01T00:00:00.000000Z' });
    stripe.server.faults.push('cut', 'cut', 'cut');
    await expect(stripe.payments.createCoupon(coupon)).rejects.toMatchObject({ reason: 'unavailable' });
    await stripe.payments.createCoupon(coupon);
    stripe.server.forgetKeys();
    await stripe.payments.createCoupon(coupon);
    const promotions = stripe.server.account.all('promotion_code').filter(({ code }) => code === coupon.code);
    expect(promotions).toMatchObject([{ max_redemptions: 3, expires_at: Date.parse('2030-01-01') / 1000 }]);
    expect(await stripe.payments.countRedemptions(coupon.code)).toBe(0);
    expect(await stripe.payments.countRedemptions('NONE')).toBeUndefined();
  });

  test('a coupon at Stripe that a customer enters is the discount of the subscription and of its invoices', async () => {
    const coupon = newCoupon({ duration: 'repeating', durationMonths: 3 });
    await stripe.payments.createCoupon(coupon);
    const { subscriptionId, checkoutId } = await buy(basic, { promotionCode: coupon.code });
    expect(stripe.server.account.hidden.get(checkoutId).form).toMatchObject({ allow_promotion_codes: 'true' });
    const { discount } = await subscriptionOf(subscriptionId);
    expect(discount).toMatchObject({ couponCode: coupon.code, percentOff: 12.5, amountOff: null });
    expect(Date.parse(discount?.endsAt ?? '')).toBeGreaterThan(Date.now());
    expect(await stripe.payments.listInvoices(subscriptionId)).toMatchObject([
      { subtotal: 1000, discount: 125, couponCode: coupon.code, tax: 0, total: 875, amountDue: 875 },
    ]);
    expect(await stripe.payments.countRedemptions(coupon.code)).toBe(1);
  });

  test('a coupon at Stripe replaces the present discount, once per key, and survives a pending change', async () => {
    const [first, second] = [newCoupon(), newCoupon({ percentOff: null, amountOff: 300, currency: 'eur' })];
    for (const coupon of [first, second]) await stripe.payments.createCoupon(coupon);
    const { subscriptionId } = await buy(pro, { promotionCode: first.code });
    await stripe.payments.changePlan(subscriptionId, basic, 'period_end', 'a');
    expect((await subscriptionOf(subscriptionId)).discount).toMatchObject({ couponCode: first.code });
    for (const _ of [1, 2]) await stripe.payments.applyCoupon(subscriptionId, second.code, 'click');
    const { discount, pendingChange } = await subscriptionOf(subscriptionId);
    expect(discount).toMatchObject({ couponCode: second.code, amountOff: 300, percentOff: null, endsAt: null });
    expect(pendingChange).toMatchObject({ planCode: 'basic' });
    const schedule = stripe.server.account.get(stripe.server.account.get(subscriptionId).schedule);
    expect(schedule.phases.map(({ discounts }: { discounts: object[] }) => discounts.length)).toEqual([1, 1]);
    expect(await stripe.payments.countRedemptions(second.code)).toBe(1);
  });

  test('a coupon at Stripe that this subscription used up can be applied again by a repeated call', async () => {
    const coupon = newCoupon({ maxRedemptions: 1 });
    await stripe.payments.createCoupon(coupon);
    const [one, other] = [await buy(basic), await buy(basic)];
    await stripe.payments.applyCoupon(one.subscriptionId, coupon.code, 'click');
    stripe.server.forgetKeys();
    await stripe.payments.applyCoupon(one.subscriptionId, coupon.code, 'click');
    await expect(stripe.payments.applyCoupon(other.subscriptionId, coupon.code, 'click')).rejects.toMatchObject(
      refused,
    );
  });

  test('a coupon at Stripe that is unknown, inactive, expired or in another currency is refused', async () => {
    const { subscriptionId } = await buy(basic);
    const apply = (code: string) => stripe.payments.applyCoupon(subscriptionId, code, newId());
    const [inactive, expired, foreign] = [
      newCoupon(),
      newCoupon({ expiresAt: '2020-01-01T00:00:00.000000Z' }),
      newCoupon({ percentOff: null, amountOff: 100, currency: 'usd' }),
    ];
    for (const coupon of [inactive, expired, foreign]) await stripe.payments.createCoupon(coupon);
    for (const _ of [1, 2]) await stripe.payments.deactivateCoupon(inactive.code);
    for (const code of ['NONE', inactive.code, expired.code, foreign.code]) {
      await expect(apply(code)).rejects.toMatchObject(refused);
    }
    expect((await subscriptionOf(subscriptionId)).discount).toBeNull();
    await expect(stripe.payments.createCoupon(newCoupon({ code: 'TEN %' }))).rejects.toThrow(
      /letters, digits and dashes/,
    );
  });
});

describe('a plan change without proration', () => {
  test('a change without proration at Stripe makes no invoice and needs the same interval', async () => {
    const { subscriptionId } = await buy(basic);
    await stripe.payments.changePlan(subscriptionId, pro, 'now_unprorated', 'a');
    expect(await subscriptionOf(subscriptionId)).toMatchObject({ planCode: 'pro', amount: 3000 });
    expect(await stripe.payments.listInvoices(subscriptionId)).toHaveLength(1);
    const yearly = price('pro', 30_000, 'year');
    const change = stripe.payments.changePlan(subscriptionId, yearly, 'now_unprorated', 'b');
    await expect(change).rejects.toMatchObject(refused);
  });
});

describe('a customer', () => {
  test.each([false, true])('a tenant has one Stripe customer, also when the search is stale: %s', async (isStale) => {
    const tenantId = newId();
    stripe.server.account.isSearchStale = isStale;
    const id = await stripe.payments.createCustomer(tenantId, { ...details, name: 'First' });
    if (!isStale) stripe.server.forgetKeys();
    expect(await stripe.payments.createCustomer(tenantId, details)).toBe(id);
    expect(await stripe.payments.findCustomerDetails(id)).toEqual(details);
    stripe.server.account.isSearchStale = false;
  });

  test.each([
    ['AT', 'atu 13585627', 'eu_vat', 'ATU13585627'],
    ['GR', '094259216', 'eu_vat', 'EL094259216'],
    ['GB', 'GB980780684', 'gb_vat', 'GB980780684'],
    ['CH', 'CHE-123.456.788', 'ch_vat', 'CHE-123.456.788 MWST'],
    ['NO', '995525828', 'no_vat', '995525828MVA'],
    ['US', '12-3456789', 'us_ein', '12-3456789'],
    ['AU', '51 824 753 556', 'au_abn', '51824753556'],
  ])('the tax id of a customer in %s, %s, becomes %s %s at Stripe', async (country, taxId, type, value) => {
    const id = await stripe.payments.createCustomer(newId(), { ...details, address: { ...address, country }, taxId });
    const stored = stripe.server.account.all('tax_id').filter(({ customer }) => customer === id);
    expect(stored).toMatchObject([{ type, value }]);
    expect(stripe.server.account.get(id).invoice_settings.custom_fields).toBeNull();
  });

  test('a tax id that Stripe does not know or refuses is shown on invoices, and a new one replaces the old', async () => {
    const id = await stripe.payments.createCustomer(newId(), details);
    const stored = () => stripe.server.account.all('tax_id').filter(({ customer }) => customer === id).length;
    const unknown = { ...details, address: { ...address, country: 'BB' }, taxId: '123-X' };
    for (const changed of [unknown, { ...unknown, address: { ...address, country: 'AU' }, taxId: '51 0000 753 556' }]) {
      await stripe.payments.updateCustomer(id, changed);
      expect([stored(), (await stripe.payments.findCustomerDetails(id))?.taxId]).toEqual([0, changed.taxId]);
    }
    await stripe.payments.updateCustomer(id, details);
    await stripe.payments.updateCustomer(id, details);
    expect([stored(), (await stripe.payments.findCustomerDetails(id))?.taxId]).toEqual([1, details.taxId]);
    await stripe.payments.updateCustomer(id, { ...details, taxId: null });
    expect([stored(), await stripe.payments.findCustomerDetails(id)]).toEqual([0, { ...details, taxId: null }]);
  });

  test('the details that a Stripe checkout collected are found, and an unknown customer has none', async () => {
    const { customerId } = await buy(basic, { taxId: { type: 'eu_vat', value: 'DE136695976' } });
    expect(await stripe.payments.findCustomerDetails(customerId)).toMatchObject({
      name: 'Acme GmbH',
      address: { country: 'DE' },
      taxId: 'DE136695976',
    });
    expect(await stripe.payments.findCustomerDetails('cus_none')).toBeUndefined();
  });
});

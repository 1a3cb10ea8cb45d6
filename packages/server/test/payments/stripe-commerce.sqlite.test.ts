import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import type { Coupon, CustomerDetails, NewInvoice } from '../../src/payments/provider.ts';
import { addInvoice, createCreditNote, payInvoice } from '../support/stripe/invoices.ts';
import { useStripe } from '../support/stripe/suite.ts';
import { dayMs, newCheckout, price } from './sandbox-data.ts';

const stripe = useStripe({ STRIPE_TAX: 'true' });
const { buy, subscriptionOf } = stripe;
const basic = price('basic', 1000);
const pro = price('pro', 3000);

const sent = (method: string, path: RegExp) =>
  stripe.server.requests.filter((request) => request.method === method && path.test(request.path));

function newCoupon(fields: Partial<Coupon> = {}): Coupon {
  const code = `SAVE-${newId().toUpperCase()}`;
  const value = { percentOff: 12.5, amountOff: null, currency: null };
  const limits = { expiresAt: null, maxRedemptions: null };
  return { code, name: 'Launch', ...value, duration: 'forever', durationMonths: null, ...limits, ...fields };
}

const address = { line1: '1 Main St', line2: null, city: 'Wien', postal_code: '1010', state: null, country: 'AT' };
const details: CustomerDetails = { name: 'Acme', email: 'a@example.com', address, taxId: 'ATU13585627' };

const newInvoice = (fields: Partial<NewInvoice> = {}): NewInvoice => ({
  reference: newId(),
  currency: 'eur',
  lines: [
    { description: 'Setup', quantity: 2, unitAmount: 5000 },
    { description: 'Goodwill', quantity: 1, unitAmount: -1000 },
  ],
  dueInDays: 14,
  ...fields,
});

/** Returns the paid invoice of a new subscription. */
async function paidInvoice(amount = 1000) {
  const { subscriptionId } = await buy(price(`plan-${amount}`, amount));
  const [invoice] = await stripe.payments.listInvoices(subscriptionId);
  if (invoice === undefined) throw new Error('The purchase has no invoice.');
  return invoice;
}

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

describe('Stripe Tax', () => {
  test('with Stripe Tax an invoice has its taxes by rate, and lines, discount and taxes add up', async () => {
    stripe.server.account.setTax(19, 'DE');
    const coupon = newCoupon({ percentOff: 10 });
    await stripe.payments.createCoupon(coupon);
    const { subscriptionId, checkoutId } = await buy(basic, { promotionCode: coupon.code });
    expect(stripe.server.account.hidden.get(checkoutId).form).toMatchObject({
      automatic_tax: { enabled: 'true' },
      tax_id_collection: { enabled: 'true' },
      billing_address_collection: 'required',
    });
    const [invoice] = await stripe.payments.listInvoices(subscriptionId);
    expect(invoice).toMatchObject({ subtotal: 1000, discount: 100, tax: 171, total: 1071 });
    const line = { country: 'DE', ratePercent: 19, treatment: 'standard', base: 900, amount: 171 };
    expect(invoice?.taxes).toEqual([line]);
    await stripe.payments.listInvoices(subscriptionId);
    expect(sent('GET', /tax_rates/)).toHaveLength(1);
  });

  test.each([
    ['reverse_charge', 'reverse_charge'],
    ['not_collecting', 'not_collected'],
  ])('a tax of Stripe with the reason %s has the treatment %s and no rate', async (reason, treatment) => {
    stripe.server.account.setTax(0, 'AT', reason);
    const { taxes } = await paidInvoice(2000);
    expect(taxes).toEqual([{ country: 'AT', ratePercent: 0, treatment, base: 2000, amount: 0 }]);
    stripe.server.account.tax = null;
  });

  test('an inclusive tax of Stripe is taken out of the lines and the subtotal', async () => {
    stripe.server.account.setTax(19, 'DE');
    const { id } = await paidInvoice(1190);
    const stored = stripe.server.account.get(id);
    const inclusive = { ...stored.total_taxes[0], tax_behavior: 'inclusive', amount: 190, taxable_amount: 1000 };
    Object.assign(stored, { total_taxes: [inclusive], total: 1190 });
    stored.lines.data[0].taxes = [inclusive];
    const invoice = await stripe.payments.findInvoice(id);
    expect(invoice).toMatchObject({ subtotal: 1000, discount: 0, tax: 190, total: 1190, lines: [{ amount: 1000 }] });
    stripe.server.account.tax = null;
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

describe('a single invoice', () => {
  test('a single invoice at Stripe is created, finalized, paid and found, and Stripe mails nothing', async () => {
    const customer = await stripe.payments.createCustomer(newId(), details);
    const draft = await stripe.payments.createInvoice(customer, newInvoice());
    expect(draft).toMatchObject({ status: 'draft', subscriptionId: null, collectionMethod: 'send', total: 9000 });
    expect(draft.lines.map(({ description, quantity, amount }) => [description, quantity, amount])).toEqual([
      ['Setup', 2, 10_000],
      ['Goodwill', 1, -1000],
    ]);
    for (const _ of [1, 2]) await stripe.payments.finalizeInvoice(draft.id);
    const open = await stripe.payments.findInvoice(draft.id);
    expect(open).toMatchObject({ status: 'open', amountDue: 9000 });
    expect(Date.parse(open?.dueAt ?? '') - Date.parse(open?.finalizedAt ?? '')).toBe(14 * dayMs);
    expect(open?.paymentUrl).toContain('https://invoice.stripe.test/');
    expect(stripe.server.account.get(draft.id).auto_advance).toBe(false);
    payInvoice(stripe.server.account, stripe.server.account.get(draft.id));
    expect(await stripe.payments.findInvoice(draft.id)).toMatchObject({ status: 'paid', amountPaid: 9000 });
    await expect(stripe.payments.deleteDraft(draft.id)).rejects.toMatchObject(refused);
    expect(sent('POST', /send$/)).toEqual([]);
  });

  test.each([1, 3, 4])(
    'a single invoice at Stripe is complete although the response after request %i was lost and a day passed',
    async (n) => {
      const customer = await stripe.payments.createCustomer(newId(), details);
      const invoice = newInvoice();
      // The library repeats a request twice, so three faults fail it. The requests before it succeed.
      const create = () => stripe.payments.createInvoice(customer, invoice);
      stripe.server.failAfter(n, 'cut after work', 3);
      await expect(create()).rejects.toMatchObject({ reason: 'unavailable' });
      stripe.server.forgetKeys();
      const [one, other] = [await create(), await create()];
      expect(one).toMatchObject({ total: 9000, lines: [{ amount: 10_000 }, { amount: -1000 }] });
      expect(other.id).toBe(one.id);
      const stored = stripe.server.account.all('invoice').filter((object) => object.customer === customer);
      expect(stored).toHaveLength(1);
    },
  );

  test('a draft at Stripe is deleted once, and an unknown invoice is not found', async () => {
    const customer = await stripe.payments.createCustomer(newId(), details);
    const { id } = await stripe.payments.createInvoice(customer, newInvoice());
    for (const _ of [1, 2]) await stripe.payments.deleteDraft(id);
    expect(await stripe.payments.findInvoice(id)).toBeUndefined();
  });
});

describe('a refund', () => {
  const refund = (amount: number, reference = newId()) => ({ reference, amount, reason: 'Duplicate' });

  test('twenty simultaneous refunds at Stripe never pay back more than was paid', async () => {
    stripe.server.account.setTax(19, 'DE');
    const { id } = await paidInvoice(1000);
    stripe.server.account.tax = null;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => stripe.payments.refundInvoice(id, refund(119))),
    );
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect([results.length - failures.length, failures.length]).toEqual([10, 10]);
    expect(failures).toEqual(failures.map(() => expect.objectContaining(refused)));
    const invoice = await stripe.payments.findInvoice(id);
    const sum = (values: readonly number[] = []) => values.reduce((total, value) => total + value, 0);
    expect(sum(invoice?.creditNotes.map(({ amount }) => amount))).toBe(1190);
    expect(sum(invoice?.creditNotes.map(({ tax }) => tax))).toBe(190);
  });

  test('twenty simultaneous repetitions of one refund at Stripe pay back once', async () => {
    const { id } = await paidInvoice(1000);
    const one = refund(300);
    const notes = await Promise.all(Array.from({ length: 20 }, () => stripe.payments.refundInvoice(id, one)));
    expect(new Set(notes.map((note) => note.id)).size).toBe(1);
    expect((await stripe.payments.findInvoice(id))?.creditNotes).toMatchObject([
      { reference: one.reference, amount: 300, reason: 'Duplicate', invoiceId: id },
    ]);
  });

  test('a refund whose response was lost has one credit note after a retry, also a day later', async () => {
    const { id } = await paidInvoice(1000);
    const one = refund(1000);
    stripe.server.failAfter(1, 'cut after work', 3);
    await expect(stripe.payments.refundInvoice(id, one)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(sent('POST', /credit_notes$/)).toHaveLength(3);
    const note = await stripe.payments.refundInvoice(id, one);
    stripe.server.forgetKeys();
    expect(await stripe.payments.refundInvoice(id, one)).toEqual(note);
    expect((await stripe.payments.findInvoice(id))?.creditNotes).toEqual([note]);
    expect(sent('POST', /credit_notes$/)).toHaveLength(3);
    await expect(stripe.payments.refundInvoice(id, refund(1))).rejects.toMatchObject(refused);
  });

  test('a refund that Stripe postpones, because another request has the invoice, can be repeated', async () => {
    const { id } = await paidInvoice(1000);
    const one = refund(1000);
    stripe.server.failAfter(1, 429, 1);
    await expect(stripe.payments.refundInvoice(id, one)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await stripe.payments.refundInvoice(id, one)).toMatchObject({ amount: 1000 });
  });

  test('a Stripe invoice without refunds is read without its credit notes, and an open one is not refunded', async () => {
    const { subscriptionId } = await buy(basic);
    const { id } = addInvoice(stripe.server.account, stripe.server.account.get(subscriptionId), [500], 'open');
    expect(await stripe.payments.findInvoice(id)).toMatchObject({ creditNotes: [] });
    expect(sent('GET', /credit_notes$/)).toEqual([]);
    await expect(stripe.payments.refundInvoice(id, refund(100))).rejects.toMatchObject(refused);
  });

  test('all credit notes of a Stripe invoice are read, the oldest first, without notes of an open invoice', async () => {
    const { id } = await paidInvoice(1010);
    const form = { invoice: id, amount: '10', refund_amount: '10' };
    for (let made = 0; made < 101; made += 1) createCreditNote(stripe.server.account, form);
    const [first] = stripe.server.account.all('credit_note').filter(({ invoice }) => invoice === id);
    first.post_payment_amount = 0;
    const { creditNotes } = (await stripe.payments.findInvoice(id)) ?? { creditNotes: [] };
    expect(creditNotes).toHaveLength(100);
    expect(creditNotes.map(({ id: note }) => note)).not.toContain(first.id);
  });
});

describe('a currency', () => {
  const credit = (amount: number, currency: string) => ({ amount, currency, reason: 'sorry' });

  test.each([
    ['jpy', 500],
    ['kwd', 1230],
    ['eur', 501],
  ])('an amount in %s reaches Stripe in its own minor unit', async (currency, amount) => {
    const customer = await stripe.payments.createCustomer(newId(), details);
    await stripe.payments.addCredit(customer, credit(amount, currency), 'key');
    expect(stripe.server.account.get(customer).balance).toBe(-amount);
  });

  test('an amount with a thousandth that Stripe does not accept is refused before anything is sent', async () => {
    const message = /divisible by 10 minor units; 1234 is not/;
    const kwd = { ...price('kwd-plan', 1234), currency: 'kwd' };
    await expect(stripe.payments.createCheckout(newCheckout(kwd))).rejects.toThrow(message);
    const lines = [{ description: 'x', quantity: 10, unitAmount: 1234 }];
    const invoice = newInvoice({ currency: 'kwd', lines });
    await expect(stripe.payments.createInvoice('cus_1', invoice)).rejects.toThrow(message);
    await expect(stripe.payments.addCredit('cus_1', credit(1234, 'kwd'), 'key')).rejects.toThrow(message);
    const coupon = newCoupon({ percentOff: null, amountOff: 1234, currency: 'kwd' });
    await expect(stripe.payments.createCoupon(coupon)).rejects.toThrow(message);
    expect(sent('POST', /./)).toEqual([]);
  });

  test('a currency that Stripe counts in another minor unit is refused', async () => {
    await expect(stripe.payments.addCredit('cus_1', credit(100, 'isk'), 'key')).rejects.toThrow(
      /ISK in another minor unit/,
    );
  });
});

import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { addInvoice, createCreditNote, payInvoice } from '../support/stripe/invoices.ts';
import { useStripe } from '../support/stripe/suite.ts';
import { dayMs, newCheckout, price } from './sandbox-data.ts';
import { details, newCoupon, newInvoice } from './stripe-data.ts';

const stripe = useStripe({ STRIPE_TAX: 'true' });
const { buy } = stripe;
const basic = price('basic', 1000);

const sent = (method: string, path: RegExp) =>
  stripe.server.requests.filter((request) => request.method === method && path.test(request.path));

/** Returns the paid invoice of a new subscription. */
async function paidInvoice(amount = 1000) {
  const { subscriptionId } = await buy(price(`plan-${amount}`, amount));
  const [invoice] = await stripe.payments.listInvoices(subscriptionId);
  if (invoice === undefined) throw new Error('The purchase has no invoice.');
  return invoice;
}

const refused = { reason: 'refused' };

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

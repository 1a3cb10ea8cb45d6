import { readFileSync } from 'node:fs';
import Stripe from 'stripe';
import { afterEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import type { PaymentProvider, ProviderEvent } from '../../src/payments/provider.ts';
import { addInvoice } from '../support/stripe/invoices.ts';
import { stripeSecretKey } from '../support/stripe/server.ts';
import { type Bought, useStripe } from '../support/stripe/suite.ts';
import { differences } from '../support/stripe/types/check.ts';
import { fill } from '../support/stripe/types/fill.ts';
import { typeOfEvent } from '../support/stripe/types/objects.ts';
import { dayMs, newCheckout, price } from './sandbox-data.ts';
import { details, newCoupon, newInvoice } from './stripe-data.ts';

const webhookSecret = 'whsec_0123456789abcdef';
const stripe = useStripe({ STRIPE_TAX: 'true' });
const basic = price('basic', 1000);
const pro = price('pro', 3000);

/** The longest reason that the API accepts. */
const long = '😀'.repeat(500);
const limits = { expiresAt: '2030-01-01T00:00:00.000000Z', maxRedemptions: 100 };

/** Adds an open invoice of a subscription and returns its id. */
function openInvoice({ subscriptionId }: Bought): string {
  const { account } = stripe.server;
  return addInvoice(account, account.get(subscriptionId), [500], 'open').id;
}

async function draftOf(payments: PaymentProvider, { customerId }: Bought): Promise<string> {
  return (await payments.createInvoice(customerId, newInvoice())).id;
}

async function trialOf(): Promise<string> {
  return (await stripe.buy(basic, { trialDays: 14, hasCard: false })).subscriptionId;
}

type Exercise = (payments: PaymentProvider, bought: Bought) => Promise<unknown>;

const silent = ['name', 'billingPortalChangesDetails', 'now', 'verifyEvent'] as const;

/** How each method that calls Stripe is exercised. The type makes sure that none is forgotten. */
const exercises: Record<Exclude<keyof PaymentProvider, (typeof silent)[number]>, Exercise> = {
  async createCheckout(payments) {
    await payments.createCheckout(newCheckout(basic));
    await payments.createCheckout(newCheckout(price(newId(), 12, 'year'), 30));
  },
  findCheckout: (payments, { checkoutId }) => payments.findCheckout(checkoutId),
  async expireCheckout(payments) {
    const { id } = await payments.createCheckout(newCheckout(basic));
    await payments.expireCheckout(id);
  },
  createCustomer: (payments) => payments.createCustomer(newId(), details),
  findCustomerDetails: (payments, { customerId }) => payments.findCustomerDetails(customerId),
  findCard: (payments, { customerId }) => payments.findCard(customerId),
  findSubscription: (payments, { subscriptionId }) => payments.findSubscription(subscriptionId),
  async listInvoices(payments, bought) {
    const { account } = stripe.server;
    const lines = Array.from({ length: 12 }, (_, position) => position);
    const { id } = addInvoice(account, account.get(bought.subscriptionId), lines, 'paid');
    await payments.refundInvoice(id, { reference: newId(), amount: 1, reason: 'Duplicate' });
    await payments.listInvoices(bought.subscriptionId);
  },
  previewChange: (payments, { subscriptionId }) => payments.previewChange(subscriptionId, pro),
  previewRenewal: (payments, { subscriptionId }) => payments.previewRenewal(subscriptionId),
  async changePlan(payments, { subscriptionId }) {
    for (const when of ['period_end', 'now', 'now_unprorated'] as const) {
      await payments.changePlan(subscriptionId, pro, when, when);
    }
    await payments.changePlan(await trialOf(), pro, 'period_end', 'trial');
  },
  async cancelPendingChange(payments, { subscriptionId }) {
    await payments.changePlan(subscriptionId, pro, 'period_end', 'a');
    await payments.cancelPendingChange(subscriptionId);
  },
  async setCancelAtPeriodEnd(payments, { subscriptionId }) {
    for (const cancels of [true, false]) await payments.setCancelAtPeriodEnd(subscriptionId, cancels);
    const subscription = stripe.server.account.get(subscriptionId);
    subscription.cancel_at = subscription.items.data[0].current_period_end;
    await payments.setCancelAtPeriodEnd(subscriptionId, false);
  },
  cancelNow: (payments, { subscriptionId }) => payments.cancelNow(subscriptionId),
  async extendTrial(payments) {
    await payments.extendTrial(await trialOf(), new Date(Date.now() + 30 * dayMs).toISOString());
  },
  async createCoupon(payments) {
    await payments.createCoupon(newCoupon({ ...limits, name: long, duration: 'repeating', durationMonths: 3 }));
    await payments.createCoupon(newCoupon({ percentOff: null, amountOff: 500, currency: 'eur', duration: 'once' }));
  },
  async deactivateCoupon(payments) {
    const coupon = newCoupon();
    await payments.createCoupon(coupon);
    await payments.deactivateCoupon(coupon.code);
  },
  countRedemptions: (payments) => payments.countRedemptions('NONE'),
  async applyCoupon(payments, { subscriptionId }) {
    const coupon = newCoupon(limits);
    await payments.createCoupon(coupon);
    await payments.changePlan(subscriptionId, pro, 'period_end', 'a');
    await payments.applyCoupon(subscriptionId, coupon.code, 'a');
  },
  async updateCustomer(payments, { customerId }) {
    await payments.updateCustomer(customerId, details);
    await payments.updateCustomer(customerId, { ...details, taxId: 'x'.repeat(50) });
    await payments.updateCustomer(customerId, { ...details, address: null, taxId: null });
  },
  createBillingPortalSession: (payments, { customerId }) =>
    payments.createBillingPortalSession(customerId, 'http://localhost/'),
  addCredit: (payments, { customerId }) =>
    payments.addCredit(customerId, { amount: 400, currency: 'eur', reason: long }, 'key'),
  findInvoice: (payments, bought) => payments.findInvoice(openInvoice(bought)),
  createInvoice: draftOf,
  async deleteDraft(payments, bought) {
    await payments.deleteDraft(await draftOf(payments, bought));
  },
  async finalizeInvoice(payments, bought) {
    await payments.finalizeInvoice(await draftOf(payments, bought));
  },
  async refundInvoice(payments, { subscriptionId }) {
    const { account } = stripe.server;
    const { id } = addInvoice(account, account.get(subscriptionId), [500], 'paid');
    await payments.refundInvoice(id, { reference: newId(), amount: 200, reason: long });
  },
  voidInvoice: (payments, bought) => payments.voidInvoice(openInvoice(bought)),
  markInvoiceUncollectible: (payments, bought) => payments.markInvoiceUncollectible(openInvoice(bought)),
  retryInvoice: (payments, bought) => payments.retryInvoice(openInvoice(bought)),
};

describe("Stripe's description of its API", () => {
  test.each(Object.entries(exercises))('%s sends only requests that Stripe describes', async (name, exercise) => {
    stripe.server.account.setTax(20, 'AT');
    const bought = await stripe.buy(basic, { taxId: { type: 'eu_vat', value: 'ATU13585627' } });
    stripe.server.requests.length = 0;
    let isCalled = false;
    const payments = new Proxy(stripe.payments, {
      get(target, property) {
        isCalled ||= property === name;
        return Reflect.get(target, property);
      },
    });
    await exercise(payments, bought);
    expect([isCalled, stripe.server.requests.length > 0]).toEqual([true, true]);
    expect(stripe.server.violations).toEqual([]);
  });

  test('every method of the provider is exercised or sends nothing', () => {
    expect(Object.keys(stripe.payments).toSorted()).toEqual([...Object.keys(exercises), ...silent].toSorted());
  });
});

describe('what differs from the description', () => {
  // These tests cause violations.
  afterEach(() => {
    stripe.server.violations.length = 0;
  });

  test.each<[string, string, string, Record<string, string>, RegExp]>([
    ['an unknown path', 'POST', '/v1/refund', {}, /not a request of Stripe/],
    ['another method', 'DELETE', '/v1/prices/price_1', {}, /not a request of Stripe/],
    ['an unknown parameter', 'POST', '/v1/customers', { nickname: 'x' }, /nickname is unknown/],
    ['a nested unknown parameter', 'POST', '/v1/customers', { 'address[zip]': '1' }, /address/],
    ['a missing parameter', 'POST', '/v1/credit_notes', { amount: '1' }, /invoice is absent/],
    ['a text for a number', 'POST', '/v1/credit_notes', { invoice: 'in_1', amount: 'all' }, /amount is "all"/],
    ['an unknown value', 'POST', '/v1/coupons', { duration: 'weekly' }, /duration is "weekly"/],
    ['a value for a list', 'GET', '/v1/prices', { lookup_keys: 'x' }, /lookup_keys is "x", not a list/],
    ['an unknown query parameter', 'GET', '/v1/invoices', { subscriptions: 'sub_1' }, /subscriptions is unknown/],
    ['long metadata', 'POST', '/v1/customers', { 'metadata[a]': 'x'.repeat(501) }, /metadata.a is too long/],
    ['a long text', 'POST', '/v1/customers', { name: 'x'.repeat(257) }, /name is too long/],
  ])('a request with %s is reported', async (_name, method, path, fields, message) => {
    const form = new URLSearchParams(fields).toString();
    const isPost = method === 'POST';
    await fetch(`${stripe.server.url}${path}${isPost ? '' : `?${form}`}`, {
      method,
      headers: {
        authorization: `Bearer ${stripeSecretKey}`,
        'stripe-version': '2026-10-28.endive',
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': newId(),
      },
      ...(isPost && { body: form }),
    });
    expect(stripe.server.violations).toEqual([expect.stringMatching(message)]);
  });

  test.each<[string, (subscription: Record<string, unknown>) => void, RegExp]>([
    ['an unknown field', (subscription) => Object.assign(subscription, { plan_name: 'x' }), /plan_name is unknown/],
    ['a missing field', (subscription) => Reflect.deleteProperty(subscription, 'description'), /description is absent/],
    ['a value of another type', (subscription) => Object.assign(subscription, { start_date: 'now' }), /start_date/],
    ['an unknown state', (subscription) => Object.assign(subscription, { status: 'frozen' }), /status is "frozen"/],
  ])('a response of the tests with %s is reported', async (_name, change, message) => {
    const { subscriptionId } = await stripe.buy(basic);
    change(stripe.server.account.get(subscriptionId));
    await stripe.payments.findSubscription(subscriptionId).catch(() => undefined);
    expect(stripe.server.violations).toEqual([expect.stringMatching(message)]);
  });
});

/** The events that the documentation tells operators to select. */
function documentedEvents(): string[] {
  const text = readFileSync(new URL('../../../../docs/operating/payments.md', import.meta.url), 'utf8');
  const [, list = ''] = /and these events:(.*?)\n\s*Other events/s.exec(text) ?? [];
  return [...list.matchAll(/`([a-z_.]+)`/g)].map(([, type = '']) => type);
}

const { webhooks } = new Stripe(stripeSecretKey);

/** Returns an event with an object that has the references of its type, as Stripe sends it. */
function eventOf(type: string): { readonly event: unknown; readonly differences: string[] } {
  const described = typeOfEvent(type);
  if (described === undefined) throw new Error(`Stripe describes no event ${type}.`);
  const metadata = { licensing_reference: 'ref_1' };
  const subscription_details = { subscription: 'sub_1', metadata };
  const kinds: Readonly<Record<string, object>> = {
    checkout: { id: 'cs_1', subscription: 'sub_1', client_reference_id: 'ref_1' },
    'customer.subscription': { id: 'sub_1', metadata },
    'customer.discount': { id: 'di_1', subscription: 'sub_1' },
    invoice: { id: 'in_1', parent: { type: 'subscription_details', quote_details: null, subscription_details } },
    credit_note: { id: 'cn_1', invoice: 'in_1' },
    subscription_schedule: { id: 'sub_sched_1', subscription: 'sub_1' },
  };
  const [, object] = Object.entries(kinds).find(([prefix]) => type.startsWith(`${prefix}.`)) ?? [];
  if (object === undefined) throw new Error(`The tests know no object of the event ${type}.`);
  const event = fill({ id: `evt_${newId()}`, type, created: 1_795_000_000, data: { object } }, described);
  return { event, differences: differences(event, described, 'json') };
}

/** Returns what the provider reads in a signed event. */
function verify(event: unknown): ProviderEvent | undefined {
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1000);
  const header = webhooks.generateTestHeaderString({ payload, secret: webhookSecret, timestamp });
  return stripe.payments.verifyEvent(Buffer.from(payload), { 'stripe-signature': header });
}

describe('events', () => {
  test('the documentation lists the events of trials, discounts, invoices and credit notes', () => {
    expect(documentedEvents()).toEqual(
      expect.arrayContaining([
        'customer.subscription.trial_will_end',
        'customer.discount.created',
        'customer.discount.deleted',
        'invoice.paid',
        'credit_note.created',
      ]),
    );
  });

  test.each(documentedEvents())('the documented event %s exists at Stripe, and its subject is found', (type) => {
    const { event, differences: found } = eventOf(type);
    expect(found).toEqual([]);
    const read = verify(event);
    const hasInvoice = /^(invoice|credit_note)\./.test(type);
    const hasSubscription = !type.startsWith('credit_note.');
    const hasReference = /^(checkout\.session|customer\.subscription|invoice)\./.test(type);
    expect(read).toMatchObject({
      type,
      subscriptionId: hasSubscription ? 'sub_1' : null,
      invoiceId: hasInvoice ? 'in_1' : null,
      checkoutReference: hasReference ? 'ref_1' : null,
    });
  });
  test('the invoice of a refund is found where Stripe names it, and that of a preview is not', () => {
    const eventWith = (type: string, object: object) => ({
      id: 'evt_1',
      type,
      created: 1,
      livemode: false,
      data: { object },
    });
    expect(verify(eventWith('charge.refunded', { id: 'ch_1', invoice: 'in_1' }))).toMatchObject({ invoiceId: 'in_1' });
    expect(verify(eventWith('charge.refunded', { id: 'ch_1' }))).toMatchObject({ invoiceId: null });
    const upcoming = eventWith('invoice.upcoming', { id: 'upcoming_in_1', subscription: 'sub_1' });
    expect(verify(upcoming)).toMatchObject({ invoiceId: null, subscriptionId: 'sub_1' });
  });
});

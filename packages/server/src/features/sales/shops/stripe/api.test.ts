import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { stateOf, valuesOf } from '../../sales/life.fixture.ts';
import { apiNow, imitateShop, listAll, pageAfter } from '../imitated-shop.fixture.ts';
import { ShopApiError } from '../shop.ts';
import { stripeApi, stripeApiVersion } from './api.ts';
import { bought, month, sessionOf, subscriptionOf } from './stripe.fixture.ts';

const key = 'rk_live_imitated';
const customer = { id: 'cus_1', object: 'customer', name: 'Ada Lovelace', email: 'ada@example.com' };
const charges = new Map([
  [
    'ch_1',
    {
      id: 'ch_1',
      amount: 100,
      amount_refunded: 100,
      refunded: true,
      disputed: false,
      payment_intent: 'pi_1',
      created: bought,
    },
  ],
  [
    'ch_2',
    {
      id: 'ch_2',
      amount: 100,
      amount_refunded: 0,
      refunded: false,
      disputed: true,
      payment_intent: 'pi_2',
      created: bought,
    },
  ],
  [
    'ch_3',
    {
      id: 'ch_3',
      amount: 20,
      amount_refunded: 20,
      refunded: true,
      disputed: false,
      payment_intent: 'pi_3',
      created: bought,
    },
  ],
]);
const invoiceOf: Record<string, { readonly id: string; readonly billing_reason: Stripe.Invoice.BillingReason }> = {
  pi_2: { id: 'in_2', billing_reason: 'subscription_cycle' },
  pi_3: { id: 'in_3', billing_reason: 'subscription_update' },
};
const subscriptions = Array.from({ length: 250 }, (_, index) => subscriptionOf({ id: `sub_${index}` }));
const sessions = [
  sessionOf({ id: 'cs_0', mode: 'subscription', subscription: 'sub_0', payment_intent: null }),
  sessionOf({ id: 'cs_1' }),
].map((session) => ({ ...session, id: String(session.id) }));

function list(url: URL, items: readonly { readonly id: string }[]) {
  const limit = Number(url.searchParams.get('limit') ?? 10);
  const { page, hasMore } = pageAfter(items, url.searchParams.get('starting_after'), limit);
  return { object: 'list', data: page, has_more: hasMore, url: url.pathname };
}

const lineItems = [
  { id: 'li_1', object: 'item', price: { id: 'price_lifetime' }, quantity: 2 },
  { id: 'li_2', object: 'item', price: { id: 'price_support' }, quantity: 1 },
];

const refunds = [
  { id: 're_1', charge: 'ch_1' },
  { id: 're_3', charge: 'ch_3' },
] satisfies Partial<Stripe.Refund>[];
const disputes = [{ id: 'dp_1', charge: 'ch_2', status: 'lost' }] satisfies Partial<Stripe.Dispute>[];
const priceOf = (id: string, name: string, unit_amount: number, currency: string, recurring: object | null) => ({
  ...{ id, product: { name }, nickname: currency === 'isk' ? 'Iceland' : null, unit_amount, currency, recurring },
});
const prices = [
  priceOf('price_1', 'Pro', 4900, 'usd', { interval: 'year', interval_count: 1 }),
  priceOf('price_2', 'Pro', 500_000, 'isk', { interval: 'month', interval_count: 3 }),
  priceOf('price_3', 'Lifetime', 980, 'jpy', null),
];

type Answer = (url: URL, ids: readonly string[], isExpanded: (path: string) => boolean) => object | undefined;

const subscriptionAnswer: Answer = (url, [id], isExpanded) => {
  const expanded = subscriptions.map((one) => ({
    ...one,
    ...(isExpanded('customer') && { customer }),
    ...(isExpanded('latest_invoice') && { latest_invoice: { id: 'in_1', created: bought + month } }),
  }));
  return id === undefined ? list(url, expanded) : expanded.find((one) => one.id === id);
};

const sessionAnswer: Answer = (url, [, id, part], isExpanded) => {
  if (part === 'line_items') return list(url, lineItems);
  const payment = url.searchParams.get('payment_intent');
  const charge = { id: 'pi_1', latest_charge: charges.get('ch_1') };
  const expanded = sessions
    .filter((one) => payment === null || one.payment_intent === payment)
    .map((one) => ({
      ...one,
      ...(isExpanded('line_items') && { line_items: { data: lineItems.slice(0, 1), has_more: true } }),
      ...(isExpanded('payment_intent.latest_charge') && one.payment_intent !== null && { payment_intent: charge }),
    }));
  return id === undefined ? list(url, expanded) : expanded.find((one) => one.id === id);
};

const answers: Readonly<Record<string, Answer>> = {
  subscriptions: subscriptionAnswer,
  checkout: sessionAnswer,
  charges: (_, [id = '']) => charges.get(id),
  invoice_payments: (url) => {
    const invoice = invoiceOf[url.searchParams.get('payment[payment_intent]') ?? ''];
    return { data: invoice === undefined ? [] : [{ id: 'inpay_1', invoice: invoice.id }] };
  },
  invoices: (_, [id]) => {
    const invoice = Object.values(invoiceOf).find((one) => one.id === id);
    return invoice && { ...invoice, parent: { subscription_details: { subscription: 'sub_7' } } };
  },
  refunds: (url) => list(url, refunds),
  disputes: (url) => list(url, disputes),
  prices: (url) => list(url, prices),
};

/** Imitates Stripe's API: objects, lists in pages, and the expansions that a request asks for. */
function imitateStripe() {
  return imitateShop('https://api.stripe.com', (url, headers) => {
    if (headers.get('authorization') !== `Bearer ${key}`) return Response.json({ error: {} }, { status: 401 });
    if (headers.get('stripe-version') !== stripeApiVersion) return Response.json({ error: {} }, { status: 400 });
    const expands = url.searchParams.getAll('expand[]');
    const isExpanded = (path: string) => expands.includes(path) || expands.includes(`data.${path}`);
    const [, , resource = '', ...ids] = url.pathname.split('/');
    return answers[resource]?.(url, ids.map(decodeURIComponent), isExpanded);
  });
}

test("the imitated API can be read with Stripe's library, and has the library's version", async () => {
  const { fetch } = imitateStripe();
  const client = new Stripe(key, { httpClient: Stripe.createFetchHttpClient(fetch) });
  const all = await client.subscriptions
    .list({ status: 'all', limit: 100, expand: ['data.customer'] })
    .autoPagingToArray({ limit: 1000 });
  expect(all.map(({ id }) => id)).toEqual(subscriptions.map(({ id }) => id));
  const session = await client.checkout.sessions.list({ payment_intent: 'pi_1', limit: 1 });
  expect(session.data[0]?.id).toBe('cs_1');
  const payments = await client.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent: 'pi_2' } });
  expect(payments.data[0]?.invoice).toBe('in_2');
  expect((await client.disputes.list({ charge: 'ch_2' })).data).toHaveLength(1);
  expect(stripeApiVersion).toBe(Stripe.API_VERSION);
});

test('a subscription is read with its buyer, and newer than every message', async () => {
  const api = stripeApi(key, imitateStripe().options);
  const reading = await api.read({ kind: 'subscription', id: 'sub_3' });
  expect(reading?.facts).toMatchObject([{ saleId: 'sub_3', at: apiNow, rank: 3 }]);
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject({
    state: 'active',
    buyer: { reference: 'cus_1', name: 'Ada Lovelace', email: 'ada@example.com' },
  });
});

test('a checkout is read with all its prices and its refund', async () => {
  const reading = await stripeApi(key, imitateStripe().options).read({ kind: 'checkout.session', id: 'cs_1' });
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject({
    kind: 'one_time',
    items: [
      { externalId: 'price_lifetime', quantity: 2 },
      { externalId: 'price_support', quantity: 1 },
    ],
    refund: { amount: 'full' },
    dispute: 'none',
  });
});

test.for([
  ['ch_1', 'cs_1', { refund: { amount: 'full' }, dispute: 'none' }],
  ['ch_2', 'sub_7', { refund: { amount: 'none' }, dispute: 'lost' }],
  // A full refund of the price of a change within a period is a part of the period's payment.
  ['ch_3', 'sub_7', { refund: { amount: 'partial' }, dispute: 'none' }],
] as const)('the charge %s leads to the sale %s', async ([id, saleId, values]) => {
  const reading = await stripeApi(key, imitateStripe().options).read({ kind: 'charge', id });
  expect(reading?.facts[0]?.saleId).toBe(saleId);
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject(values);
});

test('every subscription, one-time purchase, refund and dispute is listed once, in pages', async () => {
  const pages = await listAll(stripeApi(key, imitateStripe().options));
  const sales = pages.flatMap((page) => page.sales.map(({ facts }) => `${facts[0]?.type} ${facts[0]?.saleId}`));
  expect(new Set(sales)).toEqual(
    new Set([
      ...subscriptions.map(({ id }) => `subscription.changed ${id}`),
      'sale.completed cs_1',
      'sale.refunded cs_1',
      'sale.refunded sub_7',
    ]),
  );
  expect(pages).toHaveLength(6);
});

test('prices are offered in words, in the minor unit of Stripe', async () => {
  expect(await stripeApi(key, imitateStripe().options).listOffers()).toEqual([
    { externalId: 'price_1', name: 'Pro', price: 'USD 49.00 per year' },
    { externalId: 'price_2', name: 'Pro, Iceland', price: 'ISK 5,000 every 3 months' },
    { externalId: 'price_3', name: 'Lifetime', price: 'JPY 980' },
  ]);
});

test('an object that Stripe does not know is undefined, also with path characters in its id', async () => {
  const shop = imitateStripe();
  expect(await stripeApi(key, shop.options).read({ kind: 'subscription', id: '../charges/ch_1?x=#' })).toBeUndefined();
  expect(shop.requests[0]?.pathname).toBe('/v1/subscriptions/..%2Fcharges%2Fch_1%3Fx%3D%23');
});

test.for<[string, () => Response | never, Partial<ShopApiError>]>([
  ['status 401', () => new Response('', { status: 401 }), { kind: 'refused' }],
  ['status 403', () => new Response('', { status: 403 }), { kind: 'refused' }],
  [
    'status 429 with seconds',
    () => new Response('', { status: 429, headers: { 'retry-after': '7' } }),
    { kind: 'busy', retryAfterMs: 7000 },
  ],
  [
    'status 429 with a date',
    () => new Response('', { status: 429, headers: { 'retry-after': 'Thu, 26 Nov 2026 12:01:00 GMT' } }),
    { kind: 'busy', retryAfterMs: 60_000 },
  ],
  ['status 429 alone', () => new Response('', { status: 429 }), { kind: 'busy', retryAfterMs: null }],
  ['status 500', () => new Response('', { status: 500 }), { kind: 'unavailable' }],
  [
    'a redirection',
    () => new Response('', { status: 302, headers: { location: 'https://example.com' } }),
    { kind: 'unavailable' },
  ],
  ['an answer that is not JSON', () => new Response('<html>'), { kind: 'unavailable' }],
  [
    'no answer',
    () => {
      throw new TypeError('fetch failed');
    },
    { kind: 'unavailable' },
  ],
])('%s is an error that says who can help', async ([, answer, expected]) => {
  const { options } = imitateShop('https://api.stripe.com', answer);
  const error = await stripeApi(key, options)
    .listSales(null)
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ShopApiError);
  expect(error).toMatchObject(expected);
  expect(String(error)).not.toContain(key);
});

test('a request that the caller ends is ended with its reason', async () => {
  const ended = AbortSignal.abort(new Error('stopping'));
  const { options } = imitateStripe();
  await expect(stripeApi(key, { ...options, signal: ended }).listSales(null)).rejects.toThrow('stopping');
});

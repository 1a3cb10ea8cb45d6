import { lemonSqueezySetup, listOrders, listSubscriptionInvoices, listVariants } from '@lemonsqueezy/lemonsqueezy.js';
import { afterEach, expect, test, vi } from 'vitest';
import { stateOf, valuesOf } from '../../sales/life.fixture.ts';
import { imitateShop, listAll } from '../imitated-shop.fixture.ts';
import { lemonSqueezyApi } from './api.ts';
import { bought, invoiceOf, orderOf, subscriptionOf } from './lemonsqueezy.fixture.ts';

const key = 'imitated';
const resource = (type: string, id: number, attributes: object) => ({ type, id: String(id), attributes });
const orders = Array.from({ length: 130 }, (_, index) => resource('orders', index + 1, orderOf()));
const subscriptions = [
  resource('subscriptions', 7, subscriptionOf({ order_id: 1, status: 'past_due' })),
  resource('subscriptions', 8, subscriptionOf({ order_id: 2 })),
];
const invoices = [
  resource(
    'subscription-invoices',
    1,
    invoiceOf({ subscription_id: 7, status: 'pending', created_at: '2026-11-20T00:00:00.000000Z' }),
  ),
  resource(
    'subscription-invoices',
    2,
    invoiceOf({
      subscription_id: 8,
      status: 'refunded',
      refunded: true,
      refunded_at: '2026-11-20T00:00:00.000000Z',
      created_at: '2026-11-10T00:00:00.000000Z',
    }),
  ),
  resource(
    'subscription-invoices',
    3,
    invoiceOf({ subscription_id: 8, billing_reason: 'initial', created_at: bought }),
  ),
];
const variants = [
  resource('variants', 9, { product_id: 8, name: 'Yearly', status: 'published' }),
  resource('variants', 10, { product_id: 8, name: 'Old', status: 'draft' }),
];

function list({ searchParams }: URL, all: readonly object[], included: readonly object[] = []) {
  const size = Number(searchParams.get('page[size]') ?? 10);
  const number = Number(searchParams.get('page[number]') ?? 1);
  const page = {
    currentPage: number,
    lastPage: Math.max(1, Math.ceil(all.length / size)),
    perPage: size,
    total: all.length,
  };
  const data = all.slice((number - 1) * size, number * size);
  return { meta: { page }, jsonapi: { version: '1.0' }, data, ...(searchParams.has('include') && { included }) };
}

const one = (all: readonly { readonly id: string }[], id: string, included: readonly object[] = []) => {
  const data = all.find((entry) => entry.id === id);
  return data && { jsonapi: { version: '1.0' }, data, included };
};

const ofSubscription = ({ searchParams }: URL) => {
  const [id, refunded] = [searchParams.get('filter[subscription_id]'), searchParams.get('filter[refunded]')];
  return invoices.filter(
    ({ attributes }) =>
      (id === null || ('subscription_id' in attributes && String(attributes.subscription_id) === id)) &&
      (refunded === null || ('refunded' in attributes && String(attributes.refunded) === refunded)),
  );
};

const answers: Readonly<Record<string, (url: URL, id: string) => object | undefined>> = {
  orders: (url, id) =>
    id === ''
      ? list(url, orders, subscriptions)
      : one(
          orders,
          id,
          subscriptions.filter(({ attributes }) => 'order_id' in attributes && String(attributes.order_id) === id),
        ),
  subscriptions: (_, id) => one(subscriptions, id),
  'subscription-invoices': (url) => list(url, ofSubscription(url)),
  variants: (url) => list(url, variants, [resource('products', 8, { name: 'Pro' })]),
};

function imitateLemonSqueezy() {
  return imitateShop('https://api.lemonsqueezy.com', (url, headers) => {
    if (headers.get('authorization') !== `Bearer ${key}`) return new Response('{}', { status: 401 });
    if (headers.get('accept') !== 'application/vnd.api+json') return new Response('{}', { status: 406 });
    const [, , name = '', id = ''] = url.pathname.split('/');
    return answers[name]?.(url, decodeURIComponent(id));
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test("the imitated API can be read with Lemon Squeezy's library", async () => {
  vi.stubGlobal('fetch', imitateLemonSqueezy().fetch);
  lemonSqueezySetup({ apiKey: key });
  const page = await listOrders({ include: ['subscriptions'], page: { number: 2, size: 100 } });
  expect([page.data?.data.length, page.data?.meta.page.lastPage, page.data?.included?.length]).toEqual([30, 2, 2]);
  const refunded = await listSubscriptionInvoices({ filter: { refunded: true } });
  expect(refunded.data?.data.map(({ id }) => id)).toEqual(['2']);
  expect((await listVariants({ include: ['product'] })).data?.data).toHaveLength(2);
});

test('the order of a subscription is read as one sale, with its refund', async () => {
  const reading = await lemonSqueezyApi(key, imitateLemonSqueezy().options).read({ kind: 'order', id: '2' });
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject({
    kind: 'subscription',
    checkoutId: orderOf().identifier,
    refund: { amount: 'none' },
  });
});

test('an order without a subscription is read as a purchase that is paid once', async () => {
  const reading = await lemonSqueezyApi(key, imitateLemonSqueezy().options).read({ kind: 'order', id: '3' });
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject({ kind: 'one_time', state: 'active' });
});

test.for([
  ['7', { state: 'past_due', pastDueSince: '2026-11-20T00:00:00.000000Z' }],
  ['8', { refund: { amount: 'full' }, paidSince: '2026-11-10T00:00:00.000000Z', state: 'active' }],
] as const)('the subscription %s is read with its invoices', async ([id, values]) => {
  const reading = await lemonSqueezyApi(key, imitateLemonSqueezy().options).read({ kind: 'subscription', id });
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject(values);
});

test('every order is listed once with its subscription, and then what was refunded', async () => {
  const pages = await listAll(lemonSqueezyApi(key, imitateLemonSqueezy().options));
  expect(pages.map(({ sales, total }) => [sales.length, total])).toEqual([
    [100, 130],
    [30, 130],
    [1, null],
  ]);
  expect(new Set(pages.slice(0, 2).flatMap(({ sales }) => sales.map(({ facts }) => facts[0]?.saleId))).size).toBe(130);
});

test('variants are offered with the names of their products, without drafts', async () => {
  const offers = await lemonSqueezyApi(key, imitateLemonSqueezy().options).listOffers();
  expect(offers).toEqual([{ externalId: '9', name: 'Pro, Yearly', price: null }]);
});

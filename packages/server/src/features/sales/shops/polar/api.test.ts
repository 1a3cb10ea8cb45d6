import { createPolar } from '@polar-sh/sdk/2026-04';
import { afterEach, expect, test, vi } from 'vitest';
import { stateOf, valuesOf } from '../../sales/life.fixture.ts';
import { imitateShop, listAll } from '../imitated-shop.fixture.ts';
import { polarApi } from './api.ts';
import { orderOf, subscriptionOf } from './polar.fixture.ts';

const key = 'polar_oat_imitated';
const subscriptions = Array.from({ length: 120 }, (_, index) => subscriptionOf({ id: `sub_${index}` }));
const orders = [
  orderOf(),
  orderOf({ id: 'order_2', subscription_id: 'sub_1', status: 'refunded', billing_reason: 'subscription_cycle' }),
  orderOf({ id: 'order_3', subscription_id: 'sub_1', billing_reason: 'subscription_cycle' }),
];
const disputes = [{ id: 'dispute_1', order_id: 'order_3', status: 'lost' }];
const products = [
  {
    id: 'prod_1',
    name: 'Pro',
    recurring_interval: 'year',
    recurring_interval_count: 1,
    prices: [{ amount_type: 'fixed', price_amount: 4900, price_currency: 'usd' }],
  },
  {
    id: 'prod_2',
    name: 'Free',
    recurring_interval: null,
    recurring_interval_count: null,
    prices: [{ amount_type: 'free' }],
  },
];

const lists: Readonly<Record<string, readonly { readonly id: string }[]>> = {
  subscriptions,
  orders,
  disputes,
  products,
};

function imitatePolar() {
  return imitateShop('https://api.polar.sh', (url, headers) => {
    if (headers.get('authorization') !== `Bearer ${key}`) return Response.json({}, { status: 401 });
    if (headers.get('polar-version') !== '2026-04') return Response.json({}, { status: 400 });
    const [, , name = '', id = ''] = url.pathname.split('/');
    const all = lists[name] ?? [];
    if (id !== '') return all.find((one) => one.id === decodeURIComponent(id));
    const [page, limit] = [Number(url.searchParams.get('page') ?? 1), Number(url.searchParams.get('limit') ?? 10)];
    const items = all.slice((page - 1) * limit, page * limit);
    return { items, pagination: { total_count: all.length, max_page: Math.max(1, Math.ceil(all.length / limit)) } };
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test("the imitated API can be read with Polar's library", async () => {
  vi.stubGlobal('fetch', imitatePolar().fetch);
  const library = createPolar({ accessToken: key });
  const all: string[] = [];
  for await (const { id } of library.subscriptions.iterList({ limit: 100 })) all.push(id);
  expect(all).toEqual(subscriptions.map(({ id }) => id));
  expect((await library.orders.get('order_2')).status).toBe('refunded');
  expect((await library.disputes.list({})).items[0]?.order_id).toBe('order_3');
});

test('an order is read with its subscription and its refund', async () => {
  const reading = await polarApi(key, imitatePolar().options).read({ kind: 'order', id: 'order_2' });
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject({
    kind: 'subscription',
    refund: { amount: 'full' },
  });
});

test('every subscription, one-time purchase, refund and dispute is listed once, in pages', async () => {
  const pages = await listAll(polarApi(key, imitatePolar().options));
  expect(pages.map(({ sales }) => sales.length)).toEqual([100, 20, 2, 1]);
  const others = pages
    .slice(2)
    .flatMap(({ sales }) => sales.flatMap(({ facts }) => facts.map(({ type, saleId }) => `${type} ${saleId}`)));
  expect(others).toEqual([
    'sale.completed order_1',
    'sale.refunded order_1',
    'sale.refunded sub_1',
    'sale.disputed sub_1',
  ]);
});

test('products are offered in words', async () => {
  expect(await polarApi(key, imitatePolar().options).listOffers()).toEqual([
    { externalId: 'prod_1', name: 'Pro', price: 'USD 49.00 per year' },
    { externalId: 'prod_2', name: 'Free', price: null },
  ]);
});

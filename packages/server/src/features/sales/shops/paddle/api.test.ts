import { Paddle } from '@paddle/paddle-node-sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { stateOf, valuesOf } from '../../sales/life.fixture.ts';
import { imitateShop, listAll, pageAfter } from '../imitated-shop.fixture.ts';
import { paddleApi } from './api.ts';
import { after, bought, itemOf, priceOf, subscriptionOf, transactionOf } from './paddle.fixture.ts';

const key = 'pdl_live_apikey_imitated';
const customer = { id: 'ctm_1', name: 'Ada Lovelace', email: 'ada@example.com' };
const adjustment = { id: 'adj_1', action: 'chargeback', status: 'approved', created_at: after(20), items: [] };
const subscriptions = Array.from({ length: 65 }, (_, index) => subscriptionOf({ id: `sub_${index}` }));
const late = subscriptionOf({ id: 'sub_late', status: 'past_due' });
const refunded = { breakdown: { credit: '0', refund: '4900', chargeback: '0' } };
const transactions = [
  transactionOf(),
  transactionOf({ id: 'txn_2', adjustments_totals: refunded, adjustments: [] }),
  transactionOf({
    id: 'txn_3',
    subscription_id: 'sub_1',
    origin: 'subscription_recurring',
    adjustments: [adjustment],
    items: [itemOf()],
  }),
  transactionOf({
    id: 'txn_4',
    subscription_id: 'sub_1',
    origin: 'subscription_update',
    adjustments_totals: refunded,
    items: [itemOf()],
  }),
];
const adjustments = [
  { ...adjustment, transaction_id: 'txn_3' },
  {
    id: 'adj_0',
    action: 'refund',
    status: 'approved',
    transaction_id: 'txn_2',
    created_at: '2020-01-01T00:00:00Z',
    items: [],
  },
];
const price = {
  ...priceOf('pri_1', { interval: 'month', frequency: 3 }),
  product: { id: 'pro_1', name: 'Pro' },
};

function list(url: URL, items: readonly { readonly id: string }[]) {
  const { page, hasMore } = pageAfter(
    items,
    url.searchParams.get('after'),
    Number(url.searchParams.get('per_page') ?? 50),
  );
  const next = new URL(url);
  next.searchParams.set('after', page.at(-1)?.id ?? '');
  const pagination = { per_page: 30, next: String(next), has_more: hasMore, estimated_total: items.length };
  return { data: page, meta: { request_id: 'r', pagination } };
}

const one = (items: readonly { readonly id: string }[], id: string) => {
  const data = items.find((item) => item.id === id);
  return data && { data, meta: { request_id: 'r' } };
};

/** Returns the transactions that a list asks for. */
function listedTransactions({ searchParams }: URL) {
  if (searchParams.get('status') === 'past_due')
    return [{ ...transactionOf({ id: 'txn_late' }), billed_at: after(30) }];
  const origins = searchParams.get('origin')?.split(',');
  const listed = transactions.filter(({ origin }) => origins?.includes(origin) ?? true);
  return searchParams.get('include')?.includes('customer') ? listed.map((item) => ({ ...item, customer })) : listed;
}

const answers: Readonly<Record<string, (url: URL, id: string) => object | undefined>> = {
  subscriptions: (url, id) => (id === '' ? list(url, subscriptions) : one([...subscriptions, late], id)),
  transactions: (url, id) => (id === '' ? list(url, listedTransactions(url)) : one(transactions, id)),
  customers: (url) => list(url, [customer]),
  adjustments: (url) => list(url, adjustments),
  prices: (url) => list(url, [price]),
};

function imitatePaddle(origin = 'https://api.paddle.com', ownKey = key) {
  return imitateShop(origin, (url, headers) => {
    if (headers.get('authorization')?.toLowerCase() !== `bearer ${ownKey}`) return new Response('', { status: 403 });
    const [, resource = '', id = ''] = url.pathname.split('/');
    return answers[resource]?.(url, decodeURIComponent(id));
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test("the imitated API can be read with Paddle's library", async () => {
  vi.stubGlobal('fetch', imitatePaddle().fetch);
  const library = new Paddle(key);
  const all: string[] = [];
  for await (const subscription of library.subscriptions.list({ perPage: 30 })) all.push(subscription.id);
  expect(all).toEqual(subscriptions.map(({ id }) => id));
  const listed = library.transactions.list({ status: ['completed'], origin: ['web'], include: ['customer'] });
  expect((await listed.next()).map(({ id, customer: buyer }) => [id, buyer?.email])).toEqual([
    ['txn_1', 'ada@example.com'],
    ['txn_2', 'ada@example.com'],
  ]);
  expect((await library.customers.list({ id: ['ctm_1'] }).next())[0]?.name).toBe('Ada Lovelace');
});

test('a subscription is read with its buyer and with the date of its missing payment', async () => {
  const reading = await paddleApi(key, imitatePaddle().options).read({ kind: 'subscription', id: 'sub_late' });
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject({
    buyer: { reference: 'ctm_1', name: 'Ada Lovelace', email: 'ada@example.com' },
    pastDueSince: after(30),
  });
});

test.for([
  ['txn_2', 'txn_2', { refund: { amount: 'full', paymentAt: bought }, dispute: 'none' }],
  ['txn_3', 'sub_1', { refund: { amount: 'none' }, dispute: 'open' }],
  // A full refund of the price of a change within a period is a part of the period's price.
  ['txn_4', 'sub_1', { refund: { amount: 'partial' }, dispute: 'none' }],
] as const)('the transaction %s says what was given back to %s', async ([id, saleId, values]) => {
  const reading = await paddleApi(key, imitatePaddle().options).read({ kind: 'transaction', id });
  expect(reading?.facts.at(-1)?.saleId).toBe(saleId);
  expect(valuesOf(stateOf(...(reading ? [reading] : [])))).toMatchObject(values);
});

test('every subscription, one-time purchase and recent adjustment is listed once, in pages', async () => {
  const shop = imitatePaddle();
  const sales = (await listAll(paddleApi(key, shop.options))).flatMap((page) =>
    page.sales.map(({ facts }) => facts[0]?.saleId),
  );
  expect(sales).toEqual([...subscriptions.map(({ id }) => id), 'txn_1', 'txn_2', 'sub_1']);
  // One request for the buyers of each page, and not one per subscription.
  expect(shop.requests.filter(({ pathname }) => pathname === '/customers')).toHaveLength(3);
});

test('prices are offered in words', async () => {
  const offers = await paddleApi(key, imitatePaddle().options).listOffers();
  expect(offers).toEqual([{ externalId: 'pri_1', name: 'Pro, Monthly', price: 'JPY 980 every 3 months' }]);
});

test("a key of Paddle's sandbox reaches the sandbox's own host, and only that", async () => {
  const sandboxKey = 'pdl_sdbx_apikey_imitated';
  const sandbox = imitatePaddle('https://sandbox-api.paddle.com', sandboxKey);
  expect(await paddleApi(sandboxKey, sandbox.options).listOffers()).toHaveLength(1);
  await expect(paddleApi(sandboxKey, imitatePaddle().options).listOffers()).rejects.toMatchObject({
    kind: 'unavailable',
  });
});

test('a key without the permission is refused', async () => {
  const { options } = imitatePaddle();
  await expect(paddleApi('pdl_live_apikey_other', options).listOffers()).rejects.toMatchObject({ kind: 'refused' });
});

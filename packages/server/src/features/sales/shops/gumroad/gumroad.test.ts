import { describe, expect, test } from 'vitest';
import { licensesOf, stateOf, valuesOf } from '../../sales/life.fixture.ts';
import { apiNow, imitateShop, listAll } from '../imitated-shop.fixture.ts';
import { MessageRefusedError, type Reading } from '../shop.ts';
import { gumroadApi } from './api.ts';
import { gumroad } from './gumroad.ts';

const key = 'imitated-token';

/** Returns a ping as Gumroad sends it. */
function pingOf(fields: Readonly<Record<string, string>>) {
  return { headers: {}, body: Buffer.from(new URLSearchParams(fields).toString()), receivedAt: apiNow };
}

describe('a ping of Gumroad', () => {
  const sale = pingOf({
    sale_id: 'FO8TXN-dbxYaBdahG97Y-Q==',
    product_id: 'p1',
    email: 'eve@example.com',
    refunded: 'false',
  });

  test('nothing in it is believed but the id of the sale', () => {
    expect(gumroad.verify(sale, '')).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      type: 'sale',
      occurredAt: null,
    });
    expect(gumroad.read(sale.body)).toEqual({
      facts: [],
      ignoredBecause: null,
      objects: [{ kind: 'sale', id: 'FO8TXN-dbxYaBdahG97Y-Q==' }],
      aliases: [],
    });
  });

  test('a ping of a subscription leads to the subscription, in a form and in JSON', () => {
    const fields = { resource_name: 'cancellation', subscription_id: 'sub==', 'purchase_ids[]': 's1' };
    for (const body of [pingOf(fields).body, Buffer.from(JSON.stringify(fields))]) {
      expect(gumroad.verify({ ...sale, body }, '').type).toBe('cancellation');
      expect(gumroad.read(body).objects).toEqual([{ kind: 'subscription', id: 'sub==' }]);
    }
  });

  test('a ping with more fields, or more levels of JSON, than are parsed is no ping', () => {
    const id = 'sale_id=s1';
    for (const body of [`${id}&a${'&a'.repeat(200)}`, `{"sale_id":"s1","a":${'['.repeat(32)}${']'.repeat(32)}}`]) {
      expect(() => gumroad.verify({ ...sale, body: Buffer.from(body) }, '')).toThrow(MessageRefusedError);
    }
  });

  test('the same ping again is the same message', () => {
    expect(gumroad.verify(sale, '').id).toBe(
      gumroad.verify({ ...sale, receivedAt: '2030-01-01T00:00:00.000000Z' }, '').id,
    );
  });

  test('a body without an id is refused', () => {
    expect(() => gumroad.verify(pingOf({ email: 'eve@example.com' }), '')).toThrow(MessageRefusedError);
    expect(() => gumroad.verify({ ...sale, body: Buffer.alloc(0) }, '')).toThrow(MessageRefusedError);
  });
});

// The fields are those of Gumroad's own code for its API, version 2 (antiwork/gumroad: `Purchase#as_json`,
// `Subscription#as_json`); Gumroad has no library whose types could be compared.
const saleOf = (id: string, fields: object = {}) => ({
  ...{ id, email: 'ada@example.com', created_at: '2026-11-01T10:00:00Z', product_id: 'p1==', product_permalink: 'pro' },
  ...{ refunded: false, partially_refunded: false, chargedback: false, purchase_email: 'ada@example.com', quantity: 2 },
  ...{ full_name: 'Ada Lovelace', purchaser_id: '5', disputed: false, dispute_won: false, price: 4900 },
  ...fields,
});
const subscriberOf = (id: string, fields: object = {}) => ({
  ...{ id, product_id: 'p1==', user_id: '5', user_email: 'ada@example.com', purchase_ids: ['old==', 'new=='] },
  ...{ created_at: '2026-10-01T10:00:00Z', charge_occurrence_count: null, recurrence: 'monthly', status: 'alive' },
  ...{
    user_requested_cancellation_at: null,
    cancelled_at: null,
    ended_at: null,
    failed_at: null,
    free_trial_ends_at: null,
  },
  ...fields,
});

interface Shop {
  readonly sales: readonly { readonly id: string }[];
  readonly subscribers?: readonly { readonly id: string }[];
}

function imitateGumroad({ sales, subscribers = [] }: Shop) {
  return imitateShop('https://api.gumroad.com', (url, headers) => {
    if (headers.get('authorization') !== `Bearer ${key}`) return Response.json({ error: '' }, { status: 401 });
    const [, , resource = '', id] = url.pathname.split('/').map(decodeURIComponent);
    if (resource === 'products') {
      const products = [{ id: 'p1==', name: 'Pro', formatted_price: '$49 a month', deleted: false }];
      return { success: true, products };
    }
    const [all, name] = resource === 'sales' ? [sales, 'sale'] : [subscribers, 'subscriber'];
    if (id !== undefined) {
      const found = all.find((one) => one.id === id);
      return found === undefined
        ? { success: false, message: `The ${name} was not found.` }
        : { success: true, [name]: found };
    }
    const start = Number(url.searchParams.get('page_key') ?? 0);
    const next = start + 10 < sales.length ? { next_page_key: String(start + 10), next_page_url: '' } : {};
    return { success: true, sales: sales.slice(start, start + 10), ...next };
  });
}

const api = (shop: Shop) => gumroadApi(key, imitateGumroad(shop).options);
const readSale = (fields: object = {}) => api({ sales: [saleOf('s1==', fields)] }).read({ kind: 'sale', id: 's1==' });
const readSubscription = (fields: object = {}, sale: object = {}) =>
  api({ sales: [saleOf('old=='), saleOf('new==', sale)], subscribers: [subscriberOf('sub==', fields)] }).read({
    kind: 'subscription',
    id: 'sub==',
  });
const known = (reading: Reading | undefined) => (reading === undefined ? [] : [reading]);

describe('a sale of Gumroad', () => {
  test('it is read from the API', async () => {
    expect(valuesOf(stateOf(...known(await readSale())))).toMatchObject({
      kind: 'one_time',
      state: 'active',
      buyer: { reference: '5', name: 'Ada Lovelace', email: 'ada@example.com' },
      items: [{ externalId: 'p1==', quantity: 2 }],
      refund: { amount: 'none' },
      dispute: 'none',
    });
  });

  test.for([
    [{ refunded: true }, 'revoked'],
    [{ partially_refunded: true }, 'active'],
    [{ disputed: true, chargedback: true }, 'suspended'],
    [{ disputed: true, dispute_won: true }, 'active'],
  ] as const)('with %o its license is %s', async ([fields, status]) => {
    expect(licensesOf(apiNow, ...known(await readSale(fields)))).toMatchObject([{ status }]);
  });

  test('the payment of a gift is no sale, and a preorder entitles to nothing yet', async () => {
    expect((await readSale({ is_gift_sender_purchase: true }))?.facts).toEqual([]);
    expect(licensesOf(apiNow, ...known(await readSale({ is_preorder_authorization: true })))).toEqual([]);
  });

  test('one that Gumroad does not know is undefined', async () => {
    expect(await api({ sales: [] }).read({ kind: 'sale', id: 'a/../b' })).toBeUndefined();
  });
});

describe('a subscription of Gumroad', () => {
  test('it is paid for one recurrence from its latest payment', async () => {
    expect(valuesOf(stateOf(...known(await readSubscription())))).toMatchObject({
      kind: 'subscription',
      state: 'active',
      startedAt: '2026-10-01T10:00:00.000000Z',
      paidSince: '2026-11-01T10:00:00.000000Z',
      paidUntil: '2026-12-01T10:00:00.000000Z',
      endsAt: null,
    });
  });

  test.for([
    ['2026-11-30', '2026-11-30', 'quarterly', '2027-02-28'],
    ['2024-02-29', '2026-11-20', 'yearly', '2027-11-20'],
    ['2026-08-31', '2026-11-30', 'monthly', '2026-12-31'],
    ['2026-02-28', '2026-11-28', 'monthly', '2026-12-28'],
  ])('begun on %s and paid on %s, a %s membership is paid until %s', async ([begun, paid, recurrence, end]) => {
    const [created_at, paid_at] = [`${begun}T10:00:00Z`, `${paid}T10:00:00Z`];
    const reading = await readSubscription({ recurrence, created_at }, { created_at: paid_at });
    expect(stateOf(...known(reading)).paidUntil?.value).toBe(`${end}T10:00:00.000000Z`);
  });

  test('a cancellation ends it at its time, and an end in the past has ended it', async () => {
    const later = await readSubscription({ cancelled_at: '2026-12-01T10:00:00Z', status: 'pending_cancellation' });
    expect(valuesOf(stateOf(...known(later)))).toMatchObject({
      state: 'active',
      endsAt: '2026-12-01T10:00:00.000000Z',
    });
    const failed = await readSubscription({ failed_at: '2026-11-20T10:00:00Z', status: 'failed_payment' });
    expect(licensesOf(apiNow, ...known(failed))).toMatchObject([{ expiresAt: '2026-11-20T10:00:00.000000Z' }]);
  });

  test('a payment that is late is waited for', async () => {
    const late = await readSubscription({ status: 'pending_failure' }, { created_at: '2026-10-25T10:00:00Z' });
    expect(valuesOf(stateOf(...known(late)))).toMatchObject({
      state: 'past_due',
      pastDueSince: '2026-11-25T10:00:00.000000Z',
      paidUntil: '2026-11-30T10:00:00.000000Z',
    });
  });

  test('a free trial is valid until its end', async () => {
    const trial = await readSubscription(
      { free_trial_ends_at: '2026-12-25T10:00:00Z' },
      { created_at: '2026-11-25T10:00:00Z' },
    );
    expect(stateOf(...known(trial)).paidUntil?.value).toBe('2026-12-25T10:00:00.000000Z');
  });
});

test('every sale is listed once, a subscription with its first payment', async () => {
  const once = Array.from({ length: 12 }, (_, index) => saleOf(`once_${index}`));
  const payments = [
    saleOf('new==', { subscription_id: 'sub==', recurring_charge: true }),
    saleOf('old==', { subscription_id: 'sub==', recurring_charge: false }),
  ];
  const pages = await listAll(api({ sales: [...payments, ...once], subscribers: [subscriberOf('sub==')] }));
  const ids = pages.flatMap(({ sales }) => sales.map(({ facts }) => facts[0]?.saleId));
  expect(ids).toEqual(['sub==', ...once.map(({ id }) => id)]);
});

test('products are offered with their prices', async () => {
  expect(await api({ sales: [] }).listOffers()).toEqual([{ externalId: 'p1==', name: 'Pro', price: '$49 a month' }]);
});

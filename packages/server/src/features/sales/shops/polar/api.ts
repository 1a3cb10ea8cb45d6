import type { Timestamp } from '../../../../lib/clock.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { idOf, listOf, numberOf, objectOf, textOf } from '../fields.ts';
import { priceInWords } from '../price-in-words.ts';
import { mergeReadings } from '../reading.ts';
import { cursorAfter, pathOf, positionOf, type ReadShop, readList, shopReader } from '../requests.ts';
import type { ObjectReference, Reading, SalesPage, ShopApi, ShopApiOptions, ShopOffer } from '../shop.ts';
import { disputeOf, paymentOfOrder, readOrder, readSubscription } from './reading.ts';

/** The version whose objects the code reads. */
const version = '2026-04';
const pageSize = 100;
const pagesMax = 10;

const phases = ['subscriptions', 'orders', 'disputes'] as const;
type Phase = (typeof phases)[number];

/** Oldest first, so that a sale during the reading moves no other one to a page that was read. */
const lists: Readonly<Record<Phase, { readonly path: string; readonly sorting: string }>> = {
  subscriptions: { path: '/v1/subscriptions/', sorting: 'started_at' },
  orders: { path: '/v1/orders/', sorting: 'created_at' },
  disputes: { path: '/v1/disputes/', sorting: 'created_at' },
};

/** Returns what a dispute says of the sale of its order. */
async function readDispute(read: ReadShop, dispute: JsonObject, at: Timestamp): Promise<Reading | undefined> {
  const orderId = idOf(dispute['order_id']);
  const order = orderId === null ? undefined : await read(pathOf`/v1/orders/${orderId}`);
  if (order === undefined || orderId === null) return undefined;
  const saleId = idOf(order['subscription_id']) ?? orderId;
  const said = { saleId, at, rank: 3, payment: paymentOfOrder(order) } as const;
  return {
    facts: [{ type: 'sale.disputed', ...said, fields: { dispute: disputeOf(dispute) } }],
    ignoredBecause: null,
    objects: [],
    aliases: [],
  };
}

/** Reads an order, and the subscription that it belongs to. */
async function readOneOrder(read: ReadShop, id: string, at: Timestamp): Promise<Reading | undefined> {
  const order = await read(pathOf`/v1/orders/${id}`);
  if (order === undefined) return undefined;
  const reading = readOrder(order, { at, rank: 3 });
  const subscriptionId = idOf(order['subscription_id']);
  const subscription = subscriptionId === null ? undefined : await read(pathOf`/v1/subscriptions/${subscriptionId}`);
  return subscription === undefined
    ? reading
    : mergeReadings([reading, readSubscription(subscription, { at, rank: 3 })]);
}

async function readObject(read: ReadShop, { kind, id }: ObjectReference, at: Timestamp): Promise<Reading | undefined> {
  if (kind !== 'subscription') return await readOneOrder(read, id, at);
  const subscription = await read(pathOf`/v1/subscriptions/${id}`);
  return subscription && readSubscription(subscription, { at, rank: 3 });
}

async function readEntry(read: ReadShop, phase: Phase, entry: JsonObject, at: Timestamp): Promise<Reading | undefined> {
  const moment = { at, rank: 3 } as const;
  if (phase === 'subscriptions') return readSubscription(entry, moment);
  return phase === 'orders' ? readOrder(entry, moment) : await readDispute(read, entry, at);
}

async function listSales(read: ReadShop, cursor: string | null, at: Timestamp): Promise<SalesPage> {
  const { phase, after } = positionOf(phases, cursor);
  const { path, sorting } = lists[phase];
  const page = numberOf(after) ?? 1;
  const answer = await readList(read, path, { sorting, page, limit: pageSize });
  const sales: Reading[] = [];
  for (const entry of listOf(answer['items'])) {
    const reading = await readEntry(read, phase, entry, at);
    if (reading !== undefined && reading.facts.length > 0) sales.push(reading);
  }
  const pages = numberOf(objectOf(answer['pagination'])['max_page']) ?? 1;
  return { sales, next: cursorAfter(phases, phase, page < pages ? String(page + 1) : null), total: null };
}

/** Returns the first fixed price of a product in words. Seats and metered units have prices of their own. */
function priceOf(product: JsonObject): string | null {
  const fixed = listOf(product['prices']).find(({ amount_type }) => amount_type === 'fixed');
  const amount = numberOf(fixed?.['price_amount']);
  const currency = textOf(fixed?.['price_currency']);
  if (amount === null || currency === null) return null;
  const { recurring_interval, recurring_interval_count } = product;
  return priceInWords(formatMoney(amount, currency), textOf(recurring_interval), numberOf(recurring_interval_count));
}

async function listOffers(read: ReadShop): Promise<readonly ShopOffer[]> {
  const offers: ShopOffer[] = [];
  for (let page = 1; page <= pagesMax; page++) {
    const answer = await readList(read, '/v1/products/', { is_archived: 'false', page, limit: pageSize });
    for (const product of listOf(answer['items'])) {
      const externalId = idOf(product);
      if (externalId === null) continue;
      offers.push({ externalId, name: textOf(product['name']) ?? externalId, price: priceOf(product) });
    }
    if (page >= (numberOf(objectOf(answer['pagination'])['max_page']) ?? 1)) break;
  }
  return offers;
}

/** Creates a client of Polar's API (https://polar.sh/docs/api-reference). It accepts 500 requests per minute. */
export function polarApi(key: string, options: ShopApiOptions): ShopApi {
  const headers = { authorization: `Bearer ${key}`, 'polar-version': version };
  const read = shopReader({ name: 'Polar', origin: 'https://api.polar.sh', headers }, options);
  return {
    read: (object) => readObject(read, object, options.now()),
    listSales: (cursor) => listSales(read, cursor, options.now()),
    listOffers: () => listOffers(read),
  };
}

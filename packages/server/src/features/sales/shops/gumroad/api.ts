import type { Timestamp } from '../../../../lib/clock.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { idOf, listOf, objectOf, textOf } from '../fields.ts';
import { pathOf, type ReadShop, readList, shopReader } from '../requests.ts';
import {
  type ObjectReference,
  type Reading,
  type SalesPage,
  type ShopApi,
  ShopApiError,
  type ShopApiOptions,
  type ShopOffer,
} from '../shop.ts';
import { readSale, readSubscriber } from './reading.ts';

/** Returns an object of an answer. Gumroad answers with 200 and `success: false` if it has no such object. */
function objectIn(answer: JsonObject | undefined, name: string): JsonObject | undefined {
  return answer?.['success'] === true && answer[name] !== undefined ? objectOf(answer[name]) : undefined;
}

const isSale = (id: unknown): id is string => idOf(id) !== null;

/** Reads a subscription, with the sale of its latest payment. */
async function readSubscription(read: ReadShop, id: string, at: Timestamp): Promise<Reading | undefined> {
  const subscriber = objectIn(await read(pathOf`/v2/subscribers/${id}`), 'subscriber');
  if (subscriber === undefined) return undefined;
  const { purchase_ids } = subscriber;
  const latest = Array.isArray(purchase_ids) ? purchase_ids.findLast(isSale) : undefined;
  const sale = latest === undefined ? undefined : objectIn(await read(pathOf`/v2/sales/${latest}`), 'sale');
  // Without the sale neither what was paid nor what was bought is known.
  if (sale === undefined)
    throw new ShopApiError("Gumroad does not show the subscription's latest payment.", 'unavailable');
  return readSubscriber(subscriber, sale, at);
}

/** Reads the sale of a list, or the subscription that it began. */
async function readListed(read: ReadShop, sale: JsonObject, at: Timestamp): Promise<Reading | undefined> {
  const subscription = idOf(sale['subscription_id']);
  if (subscription === null) return readSale(sale, at);
  // The later payments of a subscription are sales of their own in the list.
  return sale['recurring_charge'] === true ? undefined : await readSubscription(read, subscription, at);
}

async function readObject(read: ReadShop, { kind, id }: ObjectReference, at: Timestamp): Promise<Reading | undefined> {
  if (kind === 'subscription') return await readSubscription(read, id, at);
  const sale = objectIn(await read(pathOf`/v2/sales/${id}`), 'sale');
  const subscription = idOf(sale?.['subscription_id']);
  if (sale === undefined) return undefined;
  return subscription === null ? readSale(sale, at) : await readSubscription(read, subscription, at);
}

async function listSales(read: ReadShop, cursor: string | null, at: Timestamp): Promise<SalesPage> {
  const answer = await readList(read, '/v2/sales', { page_key: cursor });
  const sales: Reading[] = [];
  for (const sale of listOf(answer['sales'])) {
    const reading = await readListed(read, sale, at);
    if (reading !== undefined && reading.facts.length > 0) sales.push(reading);
  }
  return { sales, next: textOf(answer['next_page_key']), total: null };
}

async function listOffers(read: ReadShop): Promise<readonly ShopOffer[]> {
  const products = listOf((await readList(read, '/v2/products'))['products']);
  return products.flatMap((product) => {
    const externalId = idOf(product);
    if (externalId === null || product['deleted'] === true) return [];
    return [{ externalId, name: textOf(product['name']) ?? externalId, price: textOf(product['formatted_price']) }];
  });
}

/** Creates a client of Gumroad's API (https://gumroad.com/api). Its lists have ten sales per page. */
export function gumroadApi(key: string, options: ShopApiOptions): ShopApi {
  const headers = { authorization: `Bearer ${key}` };
  const read = shopReader({ name: 'Gumroad', origin: 'https://api.gumroad.com', headers }, options);
  return {
    read: (object) => readObject(read, object, options.now()),
    listSales: (cursor) => listSales(read, cursor, options.now()),
    listOffers: () => listOffers(read),
  };
}

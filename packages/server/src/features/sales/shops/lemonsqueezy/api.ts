import type { Timestamp } from '../../../../lib/clock.ts';
import { addDays } from '../../../../lib/duration.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { idOf, listOf, numberOf, objectOf, textOf, timeOf } from '../fields.ts';
import { mergeReadings } from '../reading.ts';
import { cursorAfter, pathOf, positionOf, type ReadShop, readList, shopReader } from '../requests.ts';
import type { SaleFact, SaleFields } from '../sale-fact.ts';
import type { ObjectReference, Reading, SalesPage, ShopApi, ShopApiOptions, ShopOffer } from '../shop.ts';
import { paymentOfInvoice, readOrder, readSubscription, refundOf } from './reading.ts';

const pageSize = 100;
/** Every refunded invoice costs two more requests, so their pages are small. */
const smallPageSize = 20;
const pagesMax = 10;
/** How far back refunded invoices are listed. */
const recentDays = 90;

// Every subscription belongs to an order, so the orders are all sales.
const phases = ['orders', 'refunds'] as const;

const attributesOf = (resource: JsonObject | undefined): JsonObject => objectOf(resource?.['attributes']);

/** What the invoices of a subscription say: since when a payment is missing, and what was given back. */
interface Invoiced {
  readonly known: Partial<SaleFields>;
  readonly refunded?: Pick<SaleFact, 'payment' | 'fields'>;
}

function readInvoices(invoices: readonly JsonObject[], isPastDue: boolean): Invoiced {
  const sorted = invoices
    .map((invoice): JsonObject => ({ ...attributesOf(invoice), id: idOf(invoice) }))
    .toSorted((one, other) => ((timeOf(one['created_at']) ?? '') > (timeOf(other['created_at']) ?? '') ? -1 : 1));
  const missing = sorted.find(({ status }) => status === 'pending');
  const paid = sorted.find(
    ({ status, billing_reason }) => billing_reason !== 'updated' && status !== 'pending' && status !== 'void',
  );
  const since = timeOf(missing?.['created_at']);
  const missingSince = isPastDue && since !== null ? { pastDueSince: since } : {};
  if (paid === undefined) return { known: missingSince };
  return {
    // The first invoice is a moment younger than the order's payment.
    known: { ...missingSince, paidSince: paid['billing_reason'] === 'renewal' ? timeOf(paid['created_at']) : null },
    refunded: { payment: paymentOfInvoice(idOf(paid) ?? '', paid), fields: { refund: refundOf(paid) } },
  };
}

/** Returns what a subscription says, with its invoices. */
async function completeSubscription(
  read: ReadShop,
  id: string,
  attributes: JsonObject,
  at: Timestamp,
): Promise<Reading> {
  const query = { 'filter[subscription_id]': id, 'page[size]': pageSize };
  const invoices = listOf((await readList(read, '/v1/subscription-invoices', query))['data']);
  const isPastDue = attributes['status'] === 'past_due' || attributes['status'] === 'unpaid';
  const moment = { at, rank: 3 } as const;
  const { known, refunded } = readInvoices(invoices, isPastDue);
  const reading = readSubscription(id, attributes, moment, known);
  if (refunded === undefined) return reading;
  const facts = reading.facts.map(({ saleId }) => ({ type: 'sale.refunded', saleId, ...moment, ...refunded }) as const);
  return { ...reading, facts: [...reading.facts, ...facts] };
}

async function readOneSubscription(read: ReadShop, id: string, at: Timestamp): Promise<Reading | undefined> {
  const answer = await read(pathOf`/v1/subscriptions/${id}`);
  return answer && (await completeSubscription(read, id, attributesOf(objectOf(answer['data'])), at));
}

/** Returns what an order says, with its subscription from the resources that are included. */
function readOrderWith(order: JsonObject, included: readonly JsonObject[], at: Timestamp): Reading {
  const id = idOf(order) ?? '';
  const subscriptions = included.filter(
    (resource) => resource['type'] === 'subscriptions' && idOf(attributesOf(resource)['order_id']) === id,
  );
  const moment = { at, rank: 3 } as const;
  return mergeReadings([
    readOrder(id, attributesOf(order), moment, subscriptions.length > 0),
    ...subscriptions.map((resource) => readSubscription(idOf(resource) ?? '', attributesOf(resource), moment)),
  ]);
}

async function readObject(read: ReadShop, { kind, id }: ObjectReference, at: Timestamp): Promise<Reading | undefined> {
  if (kind === 'subscription') return await readOneSubscription(read, id, at);
  const answer = await read(pathOf`/v1/orders/${id}`, { include: 'subscriptions' });
  return answer && readOrderWith(objectOf(answer['data']), listOf(answer['included']), at);
}

/** Reads the subscriptions of the recently refunded invoices of a page, each once. */
async function refundedSubscriptions(
  read: ReadShop,
  invoices: readonly JsonObject[],
  at: Timestamp,
): Promise<Reading[]> {
  const since = addDays(at, -recentDays);
  const recent = invoices.map(attributesOf).filter(({ refunded_at }) => (timeOf(refunded_at) ?? '') >= since);
  const readings: Reading[] = [];
  for (const id of new Set(recent.flatMap(({ subscription_id }) => idOf(subscription_id) ?? []))) {
    const reading = await readOneSubscription(read, id, at);
    if (reading !== undefined) readings.push(reading);
  }
  return readings;
}

async function listSales(read: ReadShop, cursor: string | null, at: Timestamp): Promise<SalesPage> {
  const { phase, after } = positionOf(phases, cursor);
  const number = numberOf(after) ?? 1;
  const isOrders = phase === 'orders';
  const query = isOrders ? { include: 'subscriptions' } : { 'filter[refunded]': 'true' };
  const path = isOrders ? '/v1/orders' : '/v1/subscription-invoices';
  const size = isOrders ? pageSize : smallPageSize;
  const answer = await readList(read, path, { ...query, 'page[size]': size, 'page[number]': number });
  const resources = listOf(answer['data']);
  const included = listOf(answer['included']);
  const { lastPage, total } = objectOf(objectOf(answer['meta'])['page']);
  const next = number < (numberOf(lastPage) ?? 1) ? String(number + 1) : null;
  return {
    sales: isOrders
      ? resources.map((order) => readOrderWith(order, included, at)).filter(({ facts }) => facts.length > 0)
      : await refundedSubscriptions(read, resources, at),
    next: cursorAfter(phases, phase, next),
    total: isOrders ? numberOf(total) : null,
  };
}

function offerOf(variant: JsonObject, products: readonly JsonObject[]): ShopOffer[] {
  const externalId = idOf(variant);
  const { status, name, product_id } = attributesOf(variant);
  if (externalId === null || status === 'draft') return [];
  const product = products.find((one) => one['type'] === 'products' && idOf(one) === idOf(product_id));
  const names = [textOf(attributesOf(product)['name']), textOf(name)].filter((one) => one !== null);
  return [{ externalId, name: names.join(', ') || externalId, price: null }];
}

/** The price of a variant is that of its newest price object, in the currency of the store, so it is not read. */
async function listOffers(read: ReadShop): Promise<readonly ShopOffer[]> {
  const offers: ShopOffer[] = [];
  for (let number = 1; number <= pagesMax; number++) {
    const query = { include: 'product', 'page[size]': pageSize, 'page[number]': number };
    const answer = await readList(read, '/v1/variants', query);
    offers.push(...listOf(answer['data']).flatMap((variant) => offerOf(variant, listOf(answer['included']))));
    if (number >= (numberOf(objectOf(objectOf(answer['meta'])['page'])['lastPage']) ?? 1)) break;
  }
  return offers;
}

/** Creates a client of Lemon Squeezy's API (https://docs.lemonsqueezy.com/api). It accepts 300 requests per minute. */
export function lemonSqueezyApi(key: string, options: ShopApiOptions): ShopApi {
  const headers = { authorization: `Bearer ${key}`, accept: 'application/vnd.api+json' };
  const read = shopReader({ name: 'Lemon Squeezy', origin: 'https://api.lemonsqueezy.com', headers }, options);
  return {
    read: (object) => readObject(read, object, options.now()),
    listSales: (cursor) => listSales(read, cursor, options.now()),
    listOffers: () => listOffers(read),
  };
}

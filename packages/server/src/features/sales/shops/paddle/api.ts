import type { Timestamp } from '../../../../lib/clock.ts';
import { addDays } from '../../../../lib/duration.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { idOf, listOf, numberOf, objectOf, textOf, timeOf } from '../fields.ts';
import { priceInWords } from '../price-in-words.ts';
import { cursorAfter, pathOf, positionOf, type ReadShop, readList, shopReader } from '../requests.ts';
import type { ObjectReference, Reading, SalesPage, ShopApi, ShopApiOptions, ShopOffer } from '../shop.ts';
import { buyerOf, readSubscription, readTransactionWithAdjustments } from './reading.ts';

/** The version whose entities the code reads. */
const version = '1';
/** The page size that every list of Paddle allows. */
const pageSize = 30;
const pagesMax = 30;
/** How far back adjustments are listed. */
const recentDays = 90;
const included = 'customer,adjustments,adjustments_totals';

const phases = ['subscriptions', 'transactions', 'adjustments'] as const;
type Phase = (typeof phases)[number];

const lists: Readonly<Record<Phase, { readonly path: string; readonly query: Readonly<Record<string, string>> }>> = {
  subscriptions: { path: '/subscriptions', query: { order_by: 'id[ASC]' } },
  // Renewals are left out: their subscriptions say what is paid.
  transactions: {
    path: '/transactions',
    query: { order_by: 'id[ASC]', status: 'completed', origin: 'web,api,subscription_charge', include: included },
  },
  adjustments: { path: '/adjustments', query: { order_by: 'id[DESC]' } },
};

const entityOf = (answer: JsonObject | undefined): JsonObject | undefined => answer && objectOf(answer['data']);

/** Returns where the next page of a list begins; null after the last one. */
function nextOf(answer: JsonObject): string | null {
  const { has_more, next } = objectOf(objectOf(answer['meta'])['pagination']);
  const isLast = has_more !== true || typeof next !== 'string' || !URL.canParse(next);
  return isLast ? null : new URL(next).searchParams.get('after');
}

/** Reads the customers of some subscriptions with one request. */
async function readCustomers(read: ReadShop, subscriptions: readonly JsonObject[]) {
  const ids = new Set(subscriptions.flatMap(({ customer_id }) => idOf(customer_id) ?? []));
  if (ids.size === 0) return new Map<string, JsonObject>();
  const { data } = await readList(read, '/customers', { id: [...ids].join(','), per_page: pageSize });
  return new Map(listOf(data).flatMap((customer) => [[idOf(customer) ?? '', customer] as const]));
}

/** Reads since when a payment of a subscription is missing; null if Paddle lists no such payment. */
async function missingSince(read: ReadShop, subscriptionId: string): Promise<Timestamp | null> {
  const query = { subscription_id: subscriptionId, status: 'past_due', per_page: 1 };
  const [transaction] = listOf((await readList(read, '/transactions', query))['data']);
  return timeOf(transaction?.['billed_at']) ?? timeOf(transaction?.['created_at']);
}

/** Returns what subscriptions say, with their buyers. */
async function completeSubscriptions(read: ReadShop, subscriptions: readonly JsonObject[], at: Timestamp) {
  const customers = await readCustomers(read, subscriptions);
  const readings: Reading[] = [];
  for (const subscription of subscriptions) {
    const { id, status, customer_id } = subscription;
    const since = status === 'past_due' ? await missingSince(read, idOf(id) ?? '') : null;
    readings.push(
      readSubscription(
        subscription,
        { at, rank: 3 },
        {
          buyer: buyerOf(customer_id, customers.get(idOf(customer_id) ?? '')),
          ...(status === 'past_due' && since !== null && { pastDueSince: since }),
        },
      ),
    );
  }
  return readings;
}

async function readOneTransaction(read: ReadShop, id: string, at: Timestamp): Promise<Reading | undefined> {
  const transaction = entityOf(await read(pathOf`/transactions/${id}`, { include: included }));
  return transaction && readTransactionWithAdjustments(transaction, { at, rank: 3 });
}

async function readObject(read: ReadShop, { kind, id }: ObjectReference, at: Timestamp): Promise<Reading | undefined> {
  if (kind !== 'subscription') return await readOneTransaction(read, id, at);
  const subscription = entityOf(await read(pathOf`/subscriptions/${id}`));
  return subscription && (await completeSubscriptions(read, [subscription], at))[0];
}

/** Reads the transactions of some adjustments, each once. */
async function adjustedTransactions(read: ReadShop, adjustments: readonly JsonObject[], at: Timestamp) {
  const readings: Reading[] = [];
  for (const id of new Set(adjustments.flatMap(({ transaction_id }) => idOf(transaction_id) ?? []))) {
    const reading = await readOneTransaction(read, id, at);
    if (reading !== undefined) readings.push(reading);
  }
  return readings;
}

async function listSales(read: ReadShop, cursor: string | null, at: Timestamp): Promise<SalesPage> {
  const { phase, after } = positionOf(phases, cursor);
  const { path, query } = lists[phase];
  const page = await readList(read, path, { ...query, per_page: pageSize, after });
  const entities = listOf(page['data']);
  const next = (one: string | null) => cursorAfter(phases, phase, one);
  if (phase === 'subscriptions') {
    return { sales: await completeSubscriptions(read, entities, at), next: next(nextOf(page)), total: null };
  }
  if (phase === 'transactions') {
    const sales = entities.map((entity) => readTransactionWithAdjustments(entity, { at, rank: 3 }));
    return { sales, next: next(nextOf(page)), total: null };
  }
  const since = addDays(at, -recentDays);
  const recent = entities.filter(({ created_at }) => (timeOf(created_at) ?? '') >= since);
  const isLast = recent.length < entities.length;
  return { sales: await adjustedTransactions(read, recent, at), next: next(isLast ? null : nextOf(page)), total: null };
}

function offerOf(price: JsonObject): ShopOffer[] {
  const externalId = idOf(price);
  if (externalId === null) return [];
  const { amount, currency_code } = objectOf(price['unit_price']);
  const { interval, frequency } = objectOf(price['billing_cycle']);
  const [minor, currency] = [numberOf(amount), textOf(currency_code)];
  const names = [textOf(objectOf(price['product'])['name']), textOf(price['name']) ?? textOf(price['description'])];
  return [
    {
      externalId,
      name: names.filter((name) => name !== null).join(', ') || externalId,
      price:
        minor === null || currency === null
          ? null
          : priceInWords(formatMoney(minor, currency), textOf(interval), numberOf(frequency)),
    },
  ];
}

async function listOffers(read: ReadShop): Promise<readonly ShopOffer[]> {
  const offers: ShopOffer[] = [];
  let after: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const query = { status: 'active', include: 'product', per_page: pageSize, after };
    const answer = await readList(read, '/prices', query);
    offers.push(...listOf(answer['data']).flatMap(offerOf));
    after = nextOf(answer);
    if (after === null) break;
  }
  return offers;
}

/**
 * Creates a client of Paddle's API (https://developer.paddle.com/api-reference/overview). A key of the sandbox names itself,
 * and reaches the sandbox's own host.
 */
export function paddleApi(key: string, options: ShopApiOptions): ShopApi {
  const origin = key.startsWith('pdl_sdbx_') ? 'https://sandbox-api.paddle.com' : 'https://api.paddle.com';
  const headers = { authorization: `Bearer ${key}`, 'paddle-version': version };
  const read = shopReader({ name: 'Paddle', origin, headers }, options);
  return {
    read: (object) => readObject(read, object, options.now()),
    listSales: (cursor) => listSales(read, cursor, options.now()),
    listOffers: () => listOffers(read),
  };
}

import { type Timestamp, toEpochSeconds } from '../../../../lib/clock.ts';
import { addDays } from '../../../../lib/duration.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { idOf, listOf, objectOf } from '../fields.ts';
import { ignored, mergeReadings } from '../reading.ts';
import { cursorAfter, pathOf, positionOf, type ReadShop, readList, shopReader } from '../requests.ts';
import type { SaleFact } from '../sale-fact.ts';
import type { ObjectReference, Reading, SalesPage, ShopApi, ShopApiOptions } from '../shop.ts';
import { priceOffers } from './offers.ts';
import {
  disputeOf,
  paymentOfCharge,
  readSession,
  readSubscription,
  refundOf,
  subscriptionOfInvoice,
} from './reading.ts';

/** The version whose objects the code reads. The tests compare it with that of Stripe's library. */
export const stripeApiVersion = '2026-10-28.endive';

const pageSize = 100;
/** Every refund and dispute costs up to four more requests, so their pages are small. */
const smallPageSize = 20;
/** How far back refunds and disputes are listed. Banks decide most disputes within this time of their beginning. */
const recentDays = 90;

const phases = ['subscriptions', 'checkouts', 'refunds', 'disputes'] as const;
type Phase = (typeof phases)[number];

const lists = {
  subscriptions: {
    path: '/v1/subscriptions',
    query: () => ({ status: 'all', limit: pageSize, 'expand[]': ['data.customer', 'data.latest_invoice'] }),
  },
  checkouts: {
    path: '/v1/checkout/sessions',
    query: () => ({
      status: 'complete',
      limit: pageSize,
      'expand[]': ['data.line_items', 'data.payment_intent.latest_charge'],
    }),
  },
  refunds: { path: '/v1/refunds', query: (since: number) => ({ limit: smallPageSize, 'created[gte]': since }) },
  disputes: { path: '/v1/disputes', query: (since: number) => ({ limit: smallPageSize, 'created[gte]': since }) },
} as const satisfies Record<Phase, { readonly path: string; readonly query: (since: number) => object }>;

/** Returns an object whose list `field` is complete. Stripe sends only its first ten entries with the object. */
async function withAll(
  read: ReadShop,
  object: JsonObject,
  field: string,
  path: string,
  query: Record<string, string>,
): Promise<JsonObject> {
  if (objectOf(object[field])['has_more'] !== true) return object;
  return { ...object, [field]: await readList(read, path, { ...query, limit: pageSize }) };
}

/** Reads the dispute of a charge, of which there is at most one at a time. */
async function readDispute(read: ReadShop, charge: JsonObject) {
  if (charge['disputed'] !== true) return 'none';
  const { data } = await readList(read, '/v1/disputes', { charge: idOf(charge), limit: 1 });
  const [dispute] = listOf(data);
  return dispute === undefined ? 'none' : disputeOf(dispute);
}

/** Returns what a charge says of its sale. */
async function chargeFacts(read: ReadShop, charge: JsonObject, saleId: string, at: Timestamp): Promise<Reading> {
  const moment = { saleId, at, rank: 3, payment: paymentOfCharge(charge) } as const;
  const dispute = await readDispute(read, charge);
  const facts: SaleFact[] = [
    { type: 'sale.refunded', ...moment, fields: { refund: refundOf(charge) } },
    { type: 'sale.disputed', ...moment, fields: { dispute } },
  ];
  return { facts, ignoredBecause: null, objects: [], aliases: [] };
}

/** Returns the sale of a payment, and whether the payment was only for a change within a paid period. */
async function saleOfPayment(read: ReadShop, payment: string) {
  const query = { 'payment[type]': 'payment_intent', 'payment[payment_intent]': payment, limit: 1 };
  const [invoicePayment] = listOf((await readList(read, '/v1/invoice_payments', query))['data']);
  const invoiceId = idOf(invoicePayment?.['invoice']);
  const invoice = invoiceId === null ? undefined : await read(pathOf`/v1/invoices/${invoiceId}`);
  const subscription = invoice === undefined ? null : subscriptionOfInvoice(invoice);
  if (subscription !== null) {
    return { saleId: subscription, isOfChange: invoice?.['billing_reason'] === 'subscription_update' };
  }
  const sessions = await readList(read, '/v1/checkout/sessions', { payment_intent: payment, limit: 1 });
  const saleId = idOf(listOf(sessions['data'])[0]);
  return saleId === null ? undefined : { saleId, isOfChange: false };
}

/** Reads a charge. A full refund of a change within a period gives back a part of the period's payment. */
async function readCharge(read: ReadShop, id: string, at: Timestamp): Promise<Reading | undefined> {
  const charge = await read(pathOf`/v1/charges/${id}`);
  if (charge === undefined) return undefined;
  const payment = idOf(charge['payment_intent']);
  const sale = payment === null ? undefined : await saleOfPayment(read, payment);
  if (sale === undefined) return ignored('This payment belongs to no subscription and to no checkout.');
  const reading = await chargeFacts(read, charge, sale.saleId, at);
  if (!sale.isOfChange) return reading;
  const facts = reading.facts.map((fact) => {
    const { refund } = fact.fields;
    if (refund?.amount !== 'full') return fact;
    return { ...fact, fields: { ...fact.fields, refund: { ...refund, amount: 'partial' as const } } };
  });
  return { ...reading, facts };
}

async function completeSubscription(read: ReadShop, subscription: JsonObject, at: Timestamp): Promise<Reading> {
  const query = { subscription: idOf(subscription) ?? '' };
  const complete = await withAll(read, subscription, 'items', '/v1/subscription_items', query);
  return readSubscription(complete, { at, rank: 3 });
}

async function readOneSubscription(read: ReadShop, id: string, at: Timestamp): Promise<Reading | undefined> {
  const query = { 'expand[]': ['customer', 'latest_invoice'] };
  const subscription = await read(pathOf`/v1/subscriptions/${id}`, query);
  return subscription && (await completeSubscription(read, subscription, at));
}

/** Returns what a checkout says, and what its payment says. A checkout of a subscription leads to the subscription. */
async function completeSession(read: ReadShop, session: JsonObject, at: Timestamp): Promise<Reading> {
  const path = pathOf`/v1/checkout/sessions/${idOf(session) ?? ''}/line_items`;
  const complete = await withAll(read, session, 'line_items', path, {});
  const { latest_charge } = objectOf(complete['payment_intent']);
  // Only a payment that failed for good leaves a complete checkout unpaid without a payment that is still processed.
  const hasFailed = objectOf(complete['payment_intent'])['status'] === 'requires_payment_method';
  const reading = readSession(complete, { at, rank: 3 }, hasFailed);
  const [fact] = reading.facts;
  const charge = objectOf(latest_charge);
  if (fact === undefined || idOf(charge) === null) return reading;
  return mergeReadings([reading, await chargeFacts(read, charge, fact.saleId, at)]);
}

async function readOneSession(read: ReadShop, id: string, at: Timestamp): Promise<Reading | undefined> {
  const query = { 'expand[]': ['line_items', 'payment_intent.latest_charge'] };
  const session = await read(pathOf`/v1/checkout/sessions/${id}`, query);
  if (session === undefined) return undefined;
  const reading = await completeSession(read, session, at);
  const subscription = idOf(session['subscription']);
  const other = subscription === null ? undefined : await readOneSubscription(read, subscription, at);
  return other === undefined ? reading : mergeReadings([reading, other]);
}

function readObject(read: ReadShop, { kind, id }: ObjectReference, at: Timestamp): Promise<Reading | undefined> {
  switch (kind) {
    case 'subscription':
      return readOneSubscription(read, id, at);
    case 'checkout.session':
      return readOneSession(read, id, at);
    default:
      return readCharge(read, id, at);
  }
}

/** Reads the sale of an object of a page. Undefined for one whose sale is on another page. */
async function readEntry(
  read: ReadShop,
  phase: Phase,
  object: JsonObject,
  at: Timestamp,
): Promise<Reading | undefined> {
  if (phase === 'subscriptions') return await completeSubscription(read, object, at);
  if (phase === 'checkouts') return object['mode'] === 'payment' ? await completeSession(read, object, at) : undefined;
  const charge = idOf(object['charge']);
  return charge === null ? undefined : await readCharge(read, charge, at);
}

async function listSales(read: ReadShop, cursor: string | null, at: Timestamp): Promise<SalesPage> {
  const { phase, after } = positionOf(phases, cursor);
  const { path, query } = lists[phase];
  const since = toEpochSeconds(addDays(at, -recentDays));
  const page = await readList(read, path, { ...query(since), starting_after: after });
  const objects = listOf(page['data']);
  const last = page['has_more'] === true ? idOf(objects.at(-1)) : null;
  const sales: Reading[] = [];
  // One after the other, so that the service never makes more than one request of a connection at a time.
  for (const object of objects) {
    const reading = await readEntry(read, phase, object, at);
    if (reading !== undefined && reading.facts.length > 0) sales.push(reading);
  }
  return { sales, next: cursorAfter(phases, phase, last), total: null };
}

/** Creates a client of Stripe's API (https://docs.stripe.com/api). A restricted key with read permissions is enough. */
export function stripeApi(key: string, options: ShopApiOptions): ShopApi {
  const headers = { authorization: `Bearer ${key}`, 'stripe-version': stripeApiVersion };
  const read = shopReader({ name: 'Stripe', origin: 'https://api.stripe.com', headers }, options);
  return {
    read: (object) => readObject(read, object, options.now()),
    listSales: (cursor) => listSales(read, cursor, options.now()),
    listOffers: () => priceOffers(read),
  };
}

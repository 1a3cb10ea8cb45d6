import type { Timestamp } from '../../../../lib/clock.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import {
  idOf,
  latestOf,
  listOf,
  numberOf,
  objectOf,
  parseObject,
  quantityOf,
  requiredId,
  textOf,
  timeOf,
} from '../fields.ts';
import { ignored, type Moment } from '../reading.ts';
import type { Buyer, PaymentReference, SaleEventType, SaleFact, SaleFields, SoldItem } from '../sale-fact.ts';
import { MessageUnreadableError, type Reading } from '../shop.ts';

/** The states of Paddle's subscriptions (https://developer.paddle.com/api-reference/subscriptions/overview). */
const states: Readonly<Record<string, SaleFields['state']>> = {
  trialing: 'active',
  active: 'active',
  past_due: 'past_due',
  paused: 'paused',
  canceled: 'ended',
};

/** Returns the buyer. Paddle's messages name only the customer; the API adds the name and the address. */
export function buyerOf(customerId: unknown, customer?: JsonObject): Buyer {
  return { reference: idOf(customerId), name: textOf(customer?.['name']), email: textOf(customer?.['email']) };
}

function itemsOf(entity: JsonObject, isWanted: (item: JsonObject) => boolean = () => true): readonly SoldItem[] {
  return listOf(entity['items'])
    .filter(isWanted)
    .flatMap(({ price, price_id, quantity }) => {
      const externalId = idOf(price) ?? idOf(price_id);
      return externalId === null ? [] : [{ externalId, quantity: quantityOf(quantity) }];
    });
}

/** Returns when a subscription ends or has ended; null while it is not canceled. */
function endOf({ status, canceled_at, scheduled_change }: JsonObject): Timestamp | null {
  const { action, effective_at } = objectOf(scheduled_change);
  if (status === 'canceled') return timeOf(canceled_at);
  return action === 'cancel' ? timeOf(effective_at) : null;
}

/**
 * Returns what a subscription of Paddle says. A paused or canceled one has no period, so what was paid before stays known.
 * An item that is inactive is not billed any more.
 */
function subscriptionFields(subscription: JsonObject): Partial<SaleFields> {
  const state = states[String(subscription['status'])];
  const { starts_at, ends_at } = objectOf(subscription['current_billing_period']);
  const paidUntil = timeOf(ends_at);
  const startedAt = timeOf(subscription['started_at']) ?? timeOf(subscription['created_at']);
  const items = itemsOf(subscription, ({ status }) => status !== 'inactive');
  return {
    kind: 'subscription',
    endsAt: endOf(subscription),
    // The items of a canceled subscription become inactive, and its license still shows what was bought.
    ...(items.length > 0 && { items }),
    ...(startedAt !== null && { startedAt }),
    ...(state !== undefined && { state }),
    ...(paidUntil !== null && { paidSince: timeOf(starts_at), paidUntil }),
    ...(state !== 'past_due' && { pastDueSince: null }),
  };
}

/** Fields that the caller of `readSubscription` knows besides the subscription. */
type Known = Partial<Pick<SaleFields, 'buyer' | 'pastDueSince'>>;

function typeOf({ state }: Partial<SaleFields>, rank: SaleFact['rank']): SaleEventType {
  if (state === 'ended') return 'subscription.ended';
  return rank === 0 ? 'sale.completed' : 'subscription.changed';
}

/** Returns what a subscription says. */
export function readSubscription(subscription: JsonObject, { at, rank }: Moment, known: Known = {}): Reading {
  const saleId = requiredId(subscription['id'], 'a subscription');
  const fields = { ...subscriptionFields(subscription), ...known };
  const first = idOf(subscription['transaction_id']);
  // The first payment was made a moment before the period that it pays.
  const payment = first === null ? {} : { payment: { id: first, at: fields.paidSince ?? null } };
  return {
    facts: [{ type: typeOf(fields, rank), saleId, at, rank, ...payment, fields }],
    ignoredBecause: null,
    objects: [{ kind: 'subscription', id: saleId }],
    aliases: first === null ? [] : [{ alias: first, saleId }],
  };
}

/**
 * Returns true for an item that is paid once: its price has no billing cycle. One whose price is not in the message belongs
 * to the subscription, if there is one.
 */
function isPaidOnce({ price }: JsonObject, subscription: string | null): boolean {
  const { billing_cycle } = objectOf(price);
  return billing_cycle === null || (billing_cycle === undefined && subscription === null);
}

/** Returns a transaction as a payment. One that was billed in advance belongs to the period that it pays. */
function paymentOf(transaction: JsonObject): PaymentReference {
  const { billed_at, created_at, billing_period } = transaction;
  const at = latestOf([timeOf(billed_at) ?? timeOf(created_at), timeOf(objectOf(billing_period)['starts_at'])]);
  return { id: requiredId(transaction['id'], 'a transaction'), at };
}

const ofSubscription = 'This payment belongs to a subscription, which says what is paid.';

/** Returns true for a transaction that charges a subscription for its next period, and not the buyer at a checkout. */
function isRenewal({ origin }: JsonObject): boolean {
  return typeof origin === 'string' && origin.startsWith('subscription_');
}

/**
 * Returns what a transaction says. What is paid once is a sale of its own, also if it is bought together with a subscription;
 * the rest belongs to the subscription, which says itself what is paid.
 */
function readTransaction(transaction: JsonObject, { at, rank }: Moment, customer?: JsonObject): Reading {
  const id = requiredId(transaction['id'], 'a transaction');
  const subscription = idOf(transaction['subscription_id']);
  const { status, customer_id } = transaction;
  const once = itemsOf(transaction, (item) => isPaidOnce(item, subscription));
  const objects = [{ kind: 'transaction', id }];
  const facts: SaleFact[] = [];
  if (once.length > 0) {
    const fields = {
      kind: 'one_time',
      startedAt: timeOf(transaction['billed_at']) ?? timeOf(transaction['created_at']) ?? at,
      buyer: buyerOf(customer_id, customer),
      items: once,
      state: status === 'completed' ? 'active' : 'pending',
      paidSince: null,
      paidUntil: null,
      endsAt: null,
      checkoutId: id,
    } as const satisfies Partial<SaleFields>;
    facts.push({ type: 'sale.completed', saleId: id, at, rank, fields });
  }
  if (subscription === null)
    return { facts, ignoredBecause: facts.length > 0 ? null : ofSubscription, objects, aliases: [] };
  const isRepeated = isRenewal(transaction);
  const fields = isRepeated ? {} : { checkoutId: id, buyer: buyerOf(customer_id, customer) };
  const type = isRepeated ? 'subscription.renewed' : 'sale.completed';
  facts.push({ type, saleId: subscription, at, rank, payment: paymentOf(transaction), fields });
  return {
    facts,
    ignoredBecause: isRepeated && once.length === 0 ? ofSubscription : null,
    objects: [...objects, { kind: 'subscription', id: subscription }],
    aliases: once.length > 0 ? [] : [{ alias: id, saleId: subscription }],
  };
}

/** What gives money back or takes it away. */
type Adjustment = Partial<Pick<SaleFields, 'refund' | 'dispute'>>;

/**
 * Returns what an adjustment says (https://developer.paddle.com/api-reference/adjustments/overview); undefined if it changes
 * nothing. Paddle reports that a chargeback is reversed and never that it is lost, so it stays open.
 */
function adjustmentFields({ action, status, type, items }: JsonObject): Adjustment | undefined {
  const isApproved = status === 'approved';
  if (action === 'chargeback' && (isApproved || status === 'reversed'))
    return { dispute: isApproved ? 'open' : 'none' };
  if (action === 'chargeback_reverse' && isApproved) return { dispute: 'none' };
  if (action !== 'refund') return undefined;
  if (status === 'reversed') return { refund: { amount: 'none', paymentAt: null } };
  if (!isApproved) return undefined;
  const isFull = type === undefined ? listOf(items).every((item) => item['type'] === 'full') : type === 'full';
  return { refund: { amount: isFull ? 'full' : 'partial', paymentAt: null } };
}

/** Returns what an adjustment says of its subscription, or else of its transaction. */
function readAdjustment(adjustment: JsonObject, { at, rank }: Moment): Reading {
  const transaction = requiredId(adjustment['transaction_id'], 'a transaction');
  const subscription = idOf(adjustment['subscription_id']);
  const saleId = subscription ?? transaction;
  const fields = adjustmentFields(adjustment);
  const objects = [{ kind: 'transaction', id: transaction }];
  if (fields === undefined) {
    return { ...ignored('This adjustment gives no money back, or Paddle has not approved it.'), objects };
  }
  const type = fields.refund === undefined ? 'sale.disputed' : 'sale.refunded';
  const payment = { id: transaction, at: null, notAfter: timeOf(adjustment['created_at']) };
  return { facts: [{ type, saleId, at, rank, payment, fields }], ignoredBecause: null, objects, aliases: [] };
}

/** Returns how much of a transaction was given back. `adjustments` and `adjustments_totals` are included by the API. */
function refundOf(transaction: JsonObject): SaleFields['refund'] {
  const { details, origin, subscription_id } = transaction;
  const refunded = numberOf(objectOf(objectOf(transaction['adjustments_totals'])['breakdown'])['refund']) ?? 0;
  const total = numberOf(objectOf(objectOf(details)['totals'])['grand_total']) ?? Number.POSITIVE_INFINITY;
  // A change within a period costs a part of the period's price.
  const isOfChange =
    idOf(subscription_id) !== null && (origin === 'subscription_update' || origin === 'subscription_charge');
  const isFull = refunded >= total && !isOfChange;
  return {
    amount: refunded <= 0 ? 'none' : isFull ? 'full' : 'partial',
    paymentAt: paymentOf(transaction).at,
  };
}

function disputeOf(transaction: JsonObject): SaleFields['dispute'] {
  const latest = listOf(transaction['adjustments'])
    .filter((adjustment) => adjustmentFields(adjustment)?.dispute !== undefined)
    .toSorted((one, other) => ((timeOf(one['created_at']) ?? '') < (timeOf(other['created_at']) ?? '') ? -1 : 1))
    .at(-1);
  return (latest && adjustmentFields(latest)?.dispute) ?? 'none';
}

/**
 * Returns what a transaction of the API says, with its adjustments. Those of a single charge that a subscription pays belong
 * to the charge's own sale, and all others to the subscription, if there is one.
 */
export function readTransactionWithAdjustments(transaction: JsonObject, moment: Moment): Reading {
  const customer = objectOf(transaction['customer']);
  const reading = readTransaction(transaction, moment, customer);
  const { subscription_id, origin } = transaction;
  const own = requiredId(transaction['id'], 'a transaction');
  const isOwnSale = origin === 'subscription_charge' && reading.facts.some((fact) => fact.saleId === own);
  const saleId = isOwnSale ? own : (idOf(subscription_id) ?? own);
  const said = { saleId, ...moment, payment: paymentOf(transaction) };
  const facts: SaleFact[] = [
    ...reading.facts,
    { type: 'sale.refunded', ...said, fields: { refund: refundOf(transaction) } },
    { type: 'sale.disputed', ...said, fields: { dispute: disputeOf(transaction) } },
  ];
  return { ...reading, facts, ignoredBecause: null };
}

function readSubscriptionEvent(type: string, subscription: JsonObject, moment: Moment): Reading {
  const isNew = type === 'subscription.created' || type === 'subscription.imported';
  return readSubscription(subscription, moment, {
    // Later messages say the same of the customer, and the API more.
    ...(isNew && { buyer: buyerOf(subscription['customer_id']) }),
    ...(type === 'subscription.past_due' && { pastDueSince: moment.at }),
  });
}

function rankOf(type: string): SaleFact['rank'] {
  if (type === 'subscription.canceled') return 2;
  return type.endsWith('.created') || type.endsWith('.imported') || type === 'transaction.completed' ? 0 : 1;
}

/** Implements `read` of the shop for an event of Paddle. */
export function readPaddleEvent(body: Buffer): Reading {
  const event = parseObject(body);
  const at = timeOf(event?.['occurred_at']);
  const type = event?.['event_type'];
  if (typeof type !== 'string' || at === null) {
    throw new MessageUnreadableError('The body is not an event of Paddle Billing. Paddle Classic is not supported.');
  }
  const data = objectOf(event?.['data']);
  const moment = { at, rank: rankOf(type) };
  if (type.startsWith('subscription.')) return readSubscriptionEvent(type, data, moment);
  // A transaction is connected with its subscription only when it is completed.
  if (type === 'transaction.completed') return readTransaction(data, moment);
  if (type === 'adjustment.created' || type === 'adjustment.updated') return readAdjustment(data, moment);
  return ignored(`Events of the type ${textOf(type)} change no sale.`);
}

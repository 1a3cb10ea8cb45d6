import type { Timestamp } from '../../../../lib/clock.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { idOf, latestOf, listOf, objectOf, parseObject, quantityOf, requiredId, textOf, timeOf } from '../fields.ts';
import { ignored, type Moment } from '../reading.ts';
import type { Buyer, PaymentReference, SaleFact, SaleFields, SoldItem } from '../sale-fact.ts';
import { MessageUnreadableError, type Reading } from '../shop.ts';

/** The states of Polar's subscriptions. `unpaid`: Polar has given up the payment of the present period. */
const states: Readonly<Record<string, SaleFields['state']>> = {
  incomplete: 'pending',
  incomplete_expired: 'ended',
  trialing: 'active',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'paused',
  canceled: 'ended',
};

function buyerOf(customer: unknown, customerId: unknown): Buyer {
  const { id, name, email } = objectOf(customer);
  return { reference: idOf(id) ?? idOf(customerId), name: textOf(name), email: textOf(email) };
}

/** Returns the product, once per seat or unit. */
function itemsOf({ product_id, seats, units }: JsonObject): readonly SoldItem[] {
  const externalId = idOf(product_id);
  return externalId === null ? [] : [{ externalId, quantity: quantityOf(seats ?? units) }];
}

/** Returns what is paid: nothing of one that never began, and the period before for one whose payment was given up. */
function paidOf(subscription: JsonObject): Pick<SaleFields, 'paidSince' | 'paidUntil'> | undefined {
  const start = timeOf(subscription['current_period_start']);
  const end = timeOf(subscription['current_period_end']);
  switch (subscription['status']) {
    case 'unpaid':
    case 'incomplete_expired':
      return start === null ? undefined : { paidSince: start, paidUntil: start };
    default:
      return end === null ? undefined : { paidSince: start, paidUntil: end };
  }
}

function subscriptionFields(subscription: JsonObject): Partial<SaleFields> {
  const { status, ended_at, ends_at, past_due_at, checkout_id, created_at, started_at } = subscription;
  const state = states[String(status)];
  const startedAt = timeOf(started_at) ?? timeOf(created_at);
  const checkoutId = idOf(checkout_id);
  const since = timeOf(past_due_at);
  return {
    kind: 'subscription',
    buyer: buyerOf(subscription['customer'], subscription['customer_id']),
    items: itemsOf(subscription),
    endsAt: timeOf(ended_at) ?? timeOf(ends_at),
    ...paidOf(subscription),
    ...(startedAt !== null && { startedAt }),
    ...(state !== undefined && { state }),
    ...(checkoutId !== null && { checkoutId }),
    ...(state === 'past_due' ? since !== null && { pastDueSince: since } : { pastDueSince: null }),
  };
}

/** Returns what a subscription says. */
export function readSubscription(subscription: JsonObject, { at, rank }: Moment): Reading {
  const saleId = requiredId(subscription['id'], 'a subscription');
  const fields = subscriptionFields(subscription);
  const type = fields.state === 'ended' ? 'subscription.ended' : rank === 0 ? 'sale.completed' : 'subscription.changed';
  return {
    facts: [{ type, saleId, at, rank, fields }],
    ignoredBecause: null,
    objects: [{ kind: 'subscription', id: saleId }],
    aliases: [],
  };
}

/** Returns how much of an order was given back. One for a change within a period is a part of the period's price. */
function refundOf(order: JsonObject): SaleFields['refund'] {
  const isFull = order['status'] === 'refunded' && order['billing_reason'] !== 'subscription_update';
  const isAny = order['status'] === 'refunded' || order['status'] === 'partially_refunded';
  return { amount: isFull ? 'full' : isAny ? 'partial' : 'none', paymentAt: paymentOfOrder(order).at };
}

/** Returns an order as a payment. It belongs to the period that it pays, also if it was made a moment before. */
export function paymentOfOrder(order: JsonObject): PaymentReference {
  const periods = listOf(order['items']).filter(({ proration }) => proration !== true);
  const at = latestOf([timeOf(order['created_at']), ...periods.map((item) => timeOf(item['start_timestamp']))]);
  return { id: requiredId(order['id'], 'an order'), at };
}

function orderState({ status, paid }: JsonObject): SaleFields['state'] {
  if (status === 'void') return 'ended';
  return paid === true || status === 'paid' || status === 'refunded' || status === 'partially_refunded'
    ? 'active'
    : 'pending';
}

/** Returns what the order of a one-time purchase says. One that was never paid has entitled to nothing at any time. */
function orderFields(order: JsonObject, at: Timestamp): Partial<SaleFields> {
  const state = orderState(order);
  const startedAt = timeOf(order['created_at']) ?? at;
  const checkoutId = idOf(order['checkout_id']);
  return {
    kind: 'one_time',
    startedAt,
    buyer: buyerOf(order['customer'], order['customer_id']),
    items: itemsOf(order),
    state,
    paidSince: null,
    paidUntil: null,
    endsAt: state === 'ended' ? startedAt : null,
    ...(checkoutId !== null && { checkoutId }),
  };
}

/** Returns what an order says. That of a subscription is no sale of its own and only says what was given back. */
export function readOrder(order: JsonObject, { at, rank }: Moment): Reading {
  const id = requiredId(order['id'], 'an order');
  const subscription = idOf(order['subscription_id']);
  const saleId = subscription ?? id;
  const refund = refundOf(order);
  const facts: SaleFact[] = [];
  if (subscription === null && idOf(order['product_id']) !== null) {
    facts.push({ type: 'sale.completed', saleId, at, rank, fields: orderFields(order, at) });
  }
  // An order without a refund does not say whether other orders of the subscription were refunded.
  if (refund.amount !== 'none' || (rank === 3 && subscription === null)) {
    const payment = paymentOfOrder(order);
    facts.push({ type: 'sale.refunded', saleId, at, rank, payment, fields: { refund } });
  }
  return {
    facts,
    ignoredBecause: facts.length > 0 ? null : 'This order belongs to a subscription, which says what is paid.',
    objects: [{ kind: 'order', id }],
    aliases: subscription === null ? [] : [{ alias: id, saleId: subscription }],
  };
}

/** Returns how a dispute stands. An early warning takes no money. */
export function disputeOf({ status }: JsonObject): SaleFields['dispute'] {
  if (status === 'lost') return 'lost';
  return status === 'needs_response' || status === 'under_review' ? 'open' : 'none';
}

function rankOf(type: string): SaleFact['rank'] {
  if (type === 'subscription.revoked') return 2;
  return type.endsWith('.created') ? 0 : 1;
}

/** Implements `read` of the shop for an event of Polar. */
export function readPolarEvent(body: Buffer): Reading {
  const event = parseObject(body);
  const type = event?.['type'];
  const data = objectOf(event?.['data']);
  const at = timeOf(event?.['timestamp']) ?? timeOf(data['modified_at']) ?? timeOf(data['created_at']);
  if (typeof type !== 'string' || at === null) {
    throw new MessageUnreadableError(
      'The body is not an event of Polar. Choose the format "Raw" for the endpoint at Polar.',
    );
  }
  const moment = { at, rank: rankOf(type) };
  if (type.startsWith('subscription.')) return readSubscription(data, moment);
  if (type.startsWith('order.')) return readOrder(data, moment);
  return ignored(`Events of the type ${textOf(type)} change no sale.`);
}

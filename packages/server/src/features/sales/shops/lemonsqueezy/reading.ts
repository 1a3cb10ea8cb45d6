import type { Timestamp } from '../../../../lib/clock.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { idOf, numberOf, objectOf, parseObject, quantityOf, requiredId, textOf, timeOf } from '../fields.ts';
import { ignored, type Moment } from '../reading.ts';
import type { Buyer, PaymentReference, SaleFact, SaleFields } from '../sale-fact.ts';
import { MessageUnreadableError, type Reading } from '../shop.ts';

/**
 * Returns the id of an order's sale. The ids of orders and subscriptions are numbers of two series, so the sale's id says of
 * which it is.
 */
function orderSale(orderId: string): string {
  return `order-${orderId}`;
}

/** Returns the other id of a subscription's sale: invoices name the subscription, and no order. */
function subscriptionAlias(subscriptionId: string): string {
  return `subscription-${subscriptionId}`;
}

function buyerOf({ customer_id, user_name, user_email }: JsonObject): Buyer {
  return { reference: idOf(customer_id), name: textOf(user_name), email: textOf(user_email) };
}

/** Returns the state of a subscription (https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object). */
function stateOf({ status, pause }: JsonObject): SaleFields['state'] | undefined {
  switch (status) {
    case 'on_trial':
    case 'active':
    // A canceled subscription is valid until it ends; only an expired one has ended.
    case 'cancelled':
      return 'active';
    case 'past_due':
    case 'unpaid':
      return 'past_due';
    case 'paused':
    case 'pause':
      // The other mode, `free`, offers the services without a payment.
      return objectOf(pause)['mode'] === 'free' ? 'active' : 'paused';
    case 'expired':
      return 'ended';
    default:
      return undefined;
  }
}

/** Returns until when a subscription is paid. Null: unknown, so what was paid before stays known. */
function paidUntilOf({ status, trial_ends_at, renews_at, ends_at }: JsonObject): Timestamp | null {
  switch (status) {
    case 'on_trial':
      return timeOf(trial_ends_at);
    case 'cancelled':
      return timeOf(ends_at);
    // The shop has given up the payment, or the end is the subscription's.
    case 'unpaid':
    case 'expired':
      return null;
    default:
      return timeOf(renews_at);
  }
}

function subscriptionFields(subscription: JsonObject): Partial<SaleFields> {
  const { status, created_at, ends_at, variant_id, first_subscription_item } = subscription;
  const state = stateOf(subscription);
  const paidUntil = paidUntilOf(subscription);
  const startedAt = timeOf(created_at);
  const variant = idOf(variant_id);
  const { quantity } = objectOf(first_subscription_item);
  return {
    kind: 'subscription',
    buyer: buyerOf(subscription),
    endsAt: status === 'cancelled' || status === 'expired' ? timeOf(ends_at) : null,
    ...(variant !== null && { items: [{ externalId: variant, quantity: quantityOf(quantity) }] }),
    ...(startedAt !== null && { startedAt }),
    ...(state !== undefined && { state }),
    ...(paidUntil !== null && { paidUntil }),
    ...(state !== 'past_due' && { pastDueSince: null }),
  };
}

/** Returns what a subscription says. Its sale is that of the order that it began with. */
export function readSubscription(
  id: string,
  attributes: JsonObject,
  { at, rank }: Moment,
  known: Partial<SaleFields> = {},
): Reading {
  const saleId = orderSale(requiredId(attributes['order_id'], 'an order'));
  const fields = { ...subscriptionFields(attributes), ...known };
  const type = fields.state === 'ended' ? 'subscription.ended' : 'subscription.changed';
  return {
    facts: [{ type, saleId, at, rank, fields }],
    ignoredBecause: null,
    objects: [{ kind: 'subscription', id }],
    aliases: [{ alias: subscriptionAlias(id), saleId }],
  };
}

/** Returns an invoice of a subscription as a payment. */
export function paymentOfInvoice(id: string, { created_at }: JsonObject): PaymentReference {
  return { id: `invoice-${id}`, at: timeOf(created_at) };
}

/** Returns how much of an order or of an invoice was given back. */
export function refundOf({ status, refunded_amount, total, created_at }: JsonObject): SaleFields['refund'] {
  const refunded = numberOf(refunded_amount) ?? 0;
  const isFull =
    status === 'refunded' || status === 'fraudulent' || (refunded > 0 && refunded >= (numberOf(total) ?? 0));
  return { amount: isFull ? 'full' : refunded > 0 ? 'partial' : 'none', paymentAt: timeOf(created_at) };
}

/** Returns what a paid order says of a purchase that is paid once. */
function orderFields(order: JsonObject, at: Timestamp): Partial<SaleFields> {
  const { variant_id, quantity } = objectOf(order['first_order_item']);
  const variant = idOf(variant_id);
  return {
    kind: 'one_time',
    startedAt: timeOf(order['created_at']) ?? at,
    buyer: buyerOf(order),
    items: variant === null ? [] : [{ externalId: variant, quantity: quantityOf(quantity) }],
    state: 'active',
    paidUntil: null,
    endsAt: null,
  };
}

const isPaid = ({ status }: JsonObject): boolean => status !== 'pending' && status !== 'failed';

/**
 * Returns what an order says. A message does not say whether the order is that of a subscription, so its facts have the time
 * of the order, and those of the subscription replace them. `hasSubscription`: the API says it.
 */
export function readOrder(
  id: string,
  order: JsonObject,
  { at, rank }: Moment,
  hasSubscription: boolean | undefined = undefined,
): Reading {
  if (!isPaid(order)) return ignored('This order is not paid.');
  const saleId = orderSale(id);
  const orderedAt = timeOf(order['created_at']) ?? at;
  const identifier = idOf(order['identifier']);
  const refund = refundOf(order);
  const facts: SaleFact[] = [];
  if (hasSubscription !== true) {
    const moment = hasSubscription === undefined ? ({ at: orderedAt, rank: 0 } as const) : { at, rank };
    facts.push({ type: 'sale.completed', saleId, ...moment, fields: orderFields(order, at) });
  }
  if (identifier !== null) {
    facts.push({ type: 'sale.completed', saleId, at: orderedAt, rank, fields: { checkoutId: identifier } });
  }
  if (refund.amount !== 'none' || rank === 3) {
    const payment = { id: saleId, at: orderedAt };
    facts.push({ type: 'sale.refunded', saleId, at, rank, payment, fields: { refund } });
  }
  return { facts, ignoredBecause: null, objects: [{ kind: 'order', id }], aliases: [] };
}

/**
 * Returns what an invoice of a subscription says. The first one says nothing of the period, because the order was paid a moment
 * before the subscription began. An invoice for a change within a period is a part of the period's price.
 */
function readInvoice(type: string, id: string, invoice: JsonObject, { at, rank }: Moment): Reading {
  const subscription = requiredId(invoice['subscription_id'], 'a subscription');
  const moment = { saleId: subscriptionAlias(subscription), at, rank };
  const objects = [{ kind: 'subscription', id: subscription }];
  const { billing_reason, created_at } = invoice;
  const of = (fact: Pick<SaleFact, 'type' | 'payment' | 'fields'>): Reading => ({
    facts: [{ ...moment, ...fact }],
    ignoredBecause: null,
    objects,
    aliases: [],
  });
  if (type === 'subscription_payment_failed') {
    return of({ type: 'subscription.changed', fields: { pastDueSince: timeOf(created_at) } });
  }
  if (type === 'subscription_payment_refunded') {
    const refund = refundOf(invoice);
    const amount = billing_reason === 'updated' && refund.amount === 'full' ? 'partial' : refund.amount;
    const payment = paymentOfInvoice(id, invoice);
    return of({ type: 'sale.refunded', payment, fields: { refund: { ...refund, amount } } });
  }
  if (billing_reason === 'renewal') {
    return of({ type: 'subscription.renewed', fields: { paidSince: timeOf(created_at), pastDueSince: null } });
  }
  return { ...ignored('This payment belongs to a subscription, which says what is paid.'), objects };
}

/** Implements `read` of the shop for an event of Lemon Squeezy. */
export function readLemonSqueezyEvent(body: Buffer): Reading {
  const event = parseObject(body);
  const data = objectOf(event?.['data']);
  const attributes = objectOf(data['attributes']);
  const type = textOf(objectOf(event?.['meta'])['event_name']);
  const at = timeOf(attributes['updated_at']);
  if (type === null || at === null) throw new MessageUnreadableError('The body is not an event of Lemon Squeezy.');
  const id = requiredId(data['id'], 'the object');
  switch (data['type']) {
    case 'subscriptions':
      return readSubscription(id, attributes, { at, rank: type === 'subscription_expired' ? 2 : 1 });
    case 'subscription-invoices':
      return readInvoice(type, id, attributes, { at, rank: 1 });
    case 'orders':
      return readOrder(id, attributes, { at, rank: 1 });
    default:
      return ignored(`Events of the type ${type} change no sale.`);
  }
}

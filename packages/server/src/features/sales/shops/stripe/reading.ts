import type { JsonObject } from '../../../../lib/json-object.ts';
import {
  idOf,
  listOf,
  numberOf,
  objectOf,
  parseObject,
  quantityOf,
  requiredId,
  secondsTimeOf,
  textOf,
} from '../fields.ts';
import { ignored, type Moment } from '../reading.ts';
import type { PaymentReference, SaleEventType, SaleFact, SaleFields, SoldItem } from '../sale-fact.ts';
import { MessageUnreadableError, type Reading } from '../shop.ts';
import { divideByChange, subscriptionFields } from './subscription.ts';

/** The item of a one-time purchase whose message names neither a price nor a payment link. */
const anyCheckout = 'checkout';

/** Returns the prices of a checkout: its expanded line items, or else its payment link. */
function soldItems(session: JsonObject): readonly SoldItem[] {
  const lines = listOf(objectOf(session['line_items'])['data']);
  const items = lines.flatMap(({ price, quantity }) => {
    const externalId = idOf(price);
    return externalId === null ? [] : [{ externalId, quantity: quantityOf(quantity) }];
  });
  return items.length > 0 ? items : [{ externalId: idOf(session['payment_link']) ?? anyCheckout, quantity: 1 }];
}

/** Returns the other ids of a checkout's sale. */
function aliasesOf(session: JsonObject, saleId: string): Reading['aliases'] {
  const ids = [idOf(session['payment_intent']), idOf(session['invoice'])];
  return ids.flatMap((alias) => (alias === null || alias === saleId ? [] : [{ alias, saleId }]));
}

/**
 * Returns what a checkout says. That of a subscription adds the buyer to the subscription; a one-time purchase is a sale of
 * its own.
 */
export function readSession(session: JsonObject, { at, rank }: Moment, hasFailed = false): Reading {
  const id = requiredId(session['id'], 'a checkout');
  const { mode, customer_details, payment_status } = session;
  const { name, email } = objectOf(customer_details);
  const buyer = { reference: idOf(session['customer']), name: textOf(name), email: textOf(email) };
  const subscription = idOf(session['subscription']);
  if (mode === 'subscription' && subscription !== null) {
    const fact = { type: 'sale.completed', saleId: subscription, at, rank, fields: { buyer, checkoutId: id } } as const;
    return {
      facts: [fact],
      ignoredBecause: null,
      objects: [{ kind: 'checkout.session', id }],
      aliases: aliasesOf(session, subscription),
    };
  }
  if (mode !== 'payment') return ignored('This checkout has sold nothing.');
  const isPaid = payment_status === 'paid' || payment_status === 'no_payment_required';
  const isPending = !isPaid && !hasFailed;
  const fields: Partial<SaleFields> = {
    kind: 'one_time',
    startedAt: secondsTimeOf(session['created']) ?? at,
    buyer,
    items: soldItems(session),
    state: isPaid ? 'active' : isPending ? 'pending' : 'ended',
    paidSince: null,
    paidUntil: null,
    // A payment that has failed for good entitled to nothing at any time.
    endsAt: isPaid || isPending ? null : (secondsTimeOf(session['created']) ?? at),
    checkoutId: id,
  };
  return {
    facts: [{ type: 'sale.completed', saleId: id, at, rank, fields }],
    ignoredBecause: null,
    objects: [{ kind: 'checkout.session', id }],
    aliases: aliasesOf(session, id),
  };
}

/** Returns what a subscription says, with the event type of its state. */
export function readSubscription(subscription: JsonObject, { at, rank }: Moment, previous?: JsonObject): Reading {
  const saleId = requiredId(subscription['id'], 'a subscription');
  const known = subscriptionFields(subscription);
  // The update that says so is the only message without an invoice that dates a missing payment.
  const hasFailed =
    known.state === 'past_due' && previous?.['status'] !== undefined && previous['status'] !== 'past_due';
  const fields = hasFailed && known.pastDueSince === undefined ? { ...known, pastDueSince: at } : known;
  const type = typeOf(fields, rank);
  const { changed, repeated } =
    previous === undefined ? { changed: fields, repeated: {} } : divideByChange(fields, previous);
  const facts: SaleFact[] = [{ type, saleId, at, rank, fields: changed }];
  if (Object.keys(repeated).length > 0) facts.push({ type, saleId, at, rank: 0, fields: repeated });
  const invoice = idOf(subscription['latest_invoice']);
  return {
    facts,
    ignoredBecause: null,
    objects: [{ kind: 'subscription', id: saleId }],
    aliases: invoice === null ? [] : [{ alias: invoice, saleId }],
  };
}

function typeOf({ state }: Partial<SaleFields>, rank: SaleFact['rank']): SaleEventType {
  if (state === 'ended') return 'subscription.ended';
  return rank === 0 ? 'sale.completed' : 'subscription.changed';
}

/** Returns the subscription of an invoice, which is below `parent` since the API of 2025; null without one. */
export function subscriptionOfInvoice(invoice: JsonObject): string | null {
  const details = objectOf(objectOf(invoice['parent'])['subscription_details']);
  return idOf(details['subscription'] ?? invoice['subscription']);
}

/** Returns what a paid invoice says: the buyer of its subscription, and the payments that belong to it. */
function readInvoice(invoice: JsonObject, { at, rank }: Moment): Reading {
  const saleId = subscriptionOfInvoice(invoice);
  if (saleId === null) {
    return ignored('This invoice belongs to no subscription. One-time purchases are read from their checkout.');
  }
  const { customer, customer_name, customer_email } = invoice;
  const buyer = { reference: idOf(customer), name: textOf(customer_name), email: textOf(customer_email) };
  const others = [idOf(invoice['id']), idOf(invoice['payment_intent']), idOf(invoice['charge'])];
  return {
    facts: [{ type: 'subscription.renewed', saleId, at, rank, fields: { buyer } }],
    ignoredBecause: null,
    objects: [{ kind: 'subscription', id: saleId }],
    aliases: others.flatMap((alias) => (alias === null ? [] : [{ alias, saleId }])),
  };
}

/** Returns to which invoice a payment belongs, and when it was made. The invoice's subscription says what is paid. */
function readInvoicePayment(payment: JsonObject, { at, rank }: Moment): Reading {
  const { payment_intent, charge } = objectOf(payment['payment']);
  const saleId = requiredId(payment['invoice'], 'an invoice');
  const others = [idOf(payment_intent), idOf(charge)];
  const [id] = others.filter((one) => one !== null);
  const paidAt = secondsTimeOf(objectOf(payment['status_transitions'])['paid_at']) ?? at;
  return {
    ...ignored('This message only says which invoice a payment belongs to. The subscription says what is paid.'),
    facts:
      id === undefined
        ? []
        : [{ type: 'subscription.changed', saleId, at, rank, payment: { id, at: paidAt }, fields: {} }],
    aliases: others.flatMap((alias) => (alias === null ? [] : [{ alias, saleId }])),
  };
}

/** Returns which id leads from a payment to its sale. Charges of older versions of the API name their invoice. */
function paymentOf(object: JsonObject): string | null {
  return idOf(object['invoice']) ?? idOf(object['payment_intent']) ?? idOf(object['charge']);
}

/** Returns the payment of a refund or a dispute, which does not say when it was made, and was made before. */
function aboutPayment({ payment_intent, charge, created }: JsonObject): Pick<SaleFact, 'payment'> {
  const id = idOf(payment_intent) ?? idOf(charge);
  if (id === null) return {};
  return { payment: { id, at: secondsTimeOf(objectOf(charge)['created']), notAfter: secondsTimeOf(created) } };
}

/** Returns the payment of a charge. */
export function paymentOfCharge(charge: JsonObject): PaymentReference {
  const id = idOf(charge['payment_intent']) ?? requiredId(charge['id'], 'a charge');
  return { id, at: secondsTimeOf(charge['created']) };
}

/** Returns how much of a charge was given back. */
export function refundOf(charge: JsonObject): SaleFields['refund'] {
  const refunded = numberOf(charge['amount_refunded']) ?? 0;
  const isFull = charge['refunded'] === true || refunded >= (numberOf(charge['amount']) ?? Number.POSITIVE_INFINITY);
  const amount = isFull ? 'full' : refunded > 0 ? 'partial' : 'none';
  return { amount, paymentAt: secondsTimeOf(charge['created']) };
}

/** Returns what a charge says of a refund. */
function readCharge(charge: JsonObject, { at, rank }: Moment): Reading {
  const id = requiredId(charge['id'], 'a charge');
  const saleId = paymentOf(charge) ?? id;
  const payment = paymentOfCharge(charge);
  return {
    facts: [{ type: 'sale.refunded', saleId, at, rank, payment, fields: { refund: refundOf(charge) } }],
    ignoredBecause: null,
    objects: [{ kind: 'charge', id }],
    aliases: saleId === id ? [] : [{ alias: id, saleId }],
  };
}

/** Returns what a refund says that could not be paid out: the payment is no longer given back. */
function readFailedRefund(refund: JsonObject, { at, rank }: Moment): Reading {
  const saleId = paymentOf(refund);
  const charge = idOf(refund['charge']);
  if (saleId === null) return ignored('This refund belongs to no payment of a sale.');
  const fields = { refund: { amount: 'none', paymentAt: null } } as const;
  return {
    facts: [{ type: 'sale.refunded', saleId, at, rank, ...aboutPayment(refund), fields }],
    ignoredBecause: null,
    objects: charge === null ? [] : [{ kind: 'charge', id: charge }],
    aliases: [],
  };
}

/** The states of a dispute in which the bank has the money and nobody has decided, also while a loss is appealed. */
const takesMoney = new Set(['needs_response', 'under_review', 'appeal_needs_response', 'appeal_under_review']);

/**
 * Returns how a dispute stands. An inquiry (`warning_…`) takes no money
 * (https://docs.stripe.com/api/disputes/object#dispute_object-status).
 */
export function disputeOf({ status }: JsonObject): SaleFields['dispute'] {
  if (status === 'lost') return 'lost';
  return takesMoney.has(String(status)) ? 'open' : 'none';
}

function readDispute(dispute: JsonObject, { at, rank }: Moment): Reading {
  const charge = idOf(dispute['charge']);
  const saleId = paymentOf(dispute);
  if (saleId === null) throw new MessageUnreadableError('The message contains no payment of the dispute.');
  return {
    facts: [
      { type: 'sale.disputed', saleId, at, rank, ...aboutPayment(dispute), fields: { dispute: disputeOf(dispute) } },
    ],
    ignoredBecause: null,
    objects: charge === null ? [] : [{ kind: 'charge', id: charge }],
    aliases: [],
  };
}

type ReadObject = (object: JsonObject, moment: Moment, previous: JsonObject | undefined) => Reading;

/** What each event of Stripe says (https://docs.stripe.com/api/events/types). */
const readers: Readonly<Record<string, ReadObject>> = {
  'checkout.session.completed': (session, moment) => readSession(session, moment),
  'checkout.session.async_payment_succeeded': (session, moment) => readSession(session, moment),
  'checkout.session.async_payment_failed': (session, moment) => readSession(session, moment, true),
  'customer.subscription.created': readSubscription,
  'customer.subscription.updated': (object, moment, previous) => readSubscription(object, moment, previous ?? {}),
  'customer.subscription.deleted': readSubscription,
  'customer.subscription.paused': readSubscription,
  'customer.subscription.resumed': readSubscription,
  'invoice.paid': readInvoice,
  'invoice.payment_succeeded': readInvoice,
  'invoice_payment.paid': readInvoicePayment,
  'charge.refunded': readCharge,
  'refund.failed': readFailedRefund,
  'charge.dispute.created': readDispute,
  'charge.dispute.updated': readDispute,
  'charge.dispute.closed': readDispute,
  'charge.dispute.funds_withdrawn': readDispute,
  'charge.dispute.funds_reinstated': readDispute,
};

function rankOf(type: string): SaleFact['rank'] {
  if (type.endsWith('.deleted') || type.endsWith('.closed')) return 2;
  return type.endsWith('.created') || type === 'checkout.session.completed' ? 0 : 1;
}

/** Implements `read` of the shop for an event of Stripe. */
export function readStripeEvent(body: Buffer): Reading {
  const event = parseObject(body);
  const at = secondsTimeOf(event?.['created']);
  const { type, data, account } = event ?? {};
  if (event === undefined || event['object'] !== 'event' || typeof type !== 'string' || at === null) {
    throw new MessageUnreadableError(
      'The body is not an event of Stripe. Choose the payload style "snapshot" for the destination at Stripe.',
    );
  }
  // The events of a platform's connected accounts are sales of other sellers.
  if (idOf(account) !== null) return ignored('This event belongs to a connected account.');
  const read = readers[type];
  if (read === undefined) return ignored(`Events of the type ${textOf(type)} change no sale.`);
  const { object, previous_attributes } = objectOf(data);
  const previous = previous_attributes === undefined ? undefined : objectOf(previous_attributes);
  return read(objectOf(object), { at, rank: rankOf(type) }, previous);
}

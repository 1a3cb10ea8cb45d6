import type { Timestamp } from '../../../../lib/clock.ts';
import { addDays, addMonths } from '../../../../lib/duration.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { idOf, quantityOf, requiredId, textOf, timeOf } from '../fields.ts';
import { ignored } from '../reading.ts';
import type { Buyer, SaleFields, SoldItem } from '../sale-fact.ts';
import type { Reading } from '../shop.ts';

/** The months of each recurrence of Gumroad. */
const months: Readonly<Record<string, number>> = {
  monthly: 1,
  quarterly: 3,
  biannually: 6,
  yearly: 12,
  every_two_years: 24,
};

/** Gumroad tries a payment for five days before it ends the subscription. */
const retryDays = 5;

function buyerOf(sale: JsonObject, userId: unknown = null): Buyer {
  const { purchaser_id, full_name, email, purchase_email } = sale;
  return {
    reference: idOf(purchaser_id) ?? idOf(userId),
    name: textOf(full_name),
    email: textOf(purchase_email) ?? textOf(email),
  };
}

function itemsOf({ product_id, quantity }: JsonObject): readonly SoldItem[] {
  const externalId = idOf(product_id);
  return externalId === null ? [] : [{ externalId, quantity: quantityOf(quantity) }];
}

/** Returns what the payment says that was given back or taken. Gumroad reports a won dispute and never a lost one. */
function paymentFields(sale: JsonObject): Pick<SaleFields, 'refund' | 'dispute'> {
  const amount = sale['refunded'] === true ? 'full' : sale['partially_refunded'] === true ? 'partial' : 'none';
  return {
    refund: { amount, paymentAt: timeOf(sale['created_at']) },
    dispute: sale['disputed'] === true && sale['dispute_won'] !== true ? 'open' : 'none',
  };
}

/** `sale`: that of the latest payment. */
function readingOf(saleId: string, sale: JsonObject, at: Timestamp, fields: Partial<SaleFields>): Reading {
  const payment = { id: idOf(sale['id']) ?? saleId, at: timeOf(sale['created_at']) };
  const type = fields.state === 'ended' ? 'subscription.ended' : 'subscription.changed';
  return {
    facts: [{ type: fields.kind === 'one_time' ? 'sale.completed' : type, saleId, at, rank: 3, payment, fields }],
    ignoredBecause: null,
    objects: [],
    aliases: [],
  };
}

/** Returns what a sale says that belongs to no subscription. */
export function readSale(sale: JsonObject, at: Timestamp): Reading {
  const id = requiredId(sale['id'], 'a sale');
  if (sale['is_gift_sender_purchase'] === true) {
    return ignored('This is the payment of a gift. The sale of its receiver has the license.');
  }
  return readingOf(id, sale, at, {
    kind: 'one_time',
    startedAt: timeOf(sale['created_at']) ?? at,
    buyer: buyerOf(sale),
    items: itemsOf(sale),
    state: sale['is_preorder_authorization'] === true ? 'pending' : 'active',
    paidSince: null,
    paidUntil: null,
    endsAt: null,
    checkoutId: id,
    ...paymentFields(sale),
  });
}

/** Returns the earliest time of a subscriber that ends the subscription; null while none is known. */
function endOf({ ended_at, cancelled_at, failed_at }: JsonObject): Timestamp | null {
  return [ended_at, cancelled_at, failed_at].flatMap((time) => timeOf(time) ?? []).toSorted()[0] ?? null;
}

/**
 * Returns what is paid. Gumroad does not say it: it is a period of the recurrence from the latest payment, or the free trial.
 * After it Gumroad tries the payment for some days, in which the subscription is past due.
 */
function paidOf(subscriber: JsonObject, sale: JsonObject, now: Timestamp): Partial<SaleFields> {
  const paidSince = timeOf(sale['created_at']) ?? now;
  const trial = timeOf(subscriber['free_trial_ends_at']);
  const count = months[String(subscriber['recurrence'])] ?? 1;
  const end =
    trial !== null && trial > paidSince && trial > now
      ? trial
      : addMonths(paidSince, count, 'UTC', timeOf(subscriber['created_at']));
  const isMissing = end <= now || subscriber['status'] === 'pending_failure';
  return {
    paidSince,
    paidUntil: isMissing ? addDays(end, retryDays) : end,
    state: isMissing ? 'past_due' : 'active',
    pastDueSince: isMissing ? end : null,
  };
}

/** Returns what a subscriber says, with the sale of the latest payment. */
export function readSubscriber(subscriber: JsonObject, sale: JsonObject, now: Timestamp): Reading {
  const id = requiredId(subscriber['id'], 'a subscription');
  const end = endOf(subscriber);
  const hasEnded = end !== null && end <= now;
  return readingOf(id, sale, now, {
    kind: 'subscription',
    startedAt: timeOf(subscriber['created_at']) ?? now,
    buyer: buyerOf({ email: subscriber['user_email'], ...sale }, subscriber['user_id']),
    items: itemsOf({ product_id: subscriber['product_id'], ...sale }),
    endsAt: end,
    ...paidOf(subscriber, sale, now),
    ...(hasEnded && { state: 'ended', pastDueSince: null }),
    ...paymentFields(sale),
  });
}

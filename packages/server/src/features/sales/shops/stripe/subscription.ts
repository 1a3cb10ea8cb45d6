import type { Timestamp } from '../../../../lib/clock.ts';
import type { JsonObject } from '../../../../lib/json-object.ts';
import { idOf, latestOf, listOf, objectOf, quantityOf, secondsTimeOf, textOf } from '../fields.ts';
import type { Buyer, SaleFields } from '../sale-fact.ts';

/** The field of Stripe's subscription that each of our fields is read from, with what else it depends on. */
const sources = {
  state: ['status'],
  items: ['items'],
  paidSince: ['items', 'current_period_start', 'status'],
  paidUntil: ['items', 'current_period_end', 'status'],
  endsAt: ['cancel_at', 'ended_at', 'cancel_at_period_end', 'status'],
  pastDueSince: ['status'],
} as const satisfies Partial<Record<keyof SaleFields, readonly string[]>>;

/** The states of Stripe's subscriptions (https://docs.stripe.com/api/subscriptions/object#subscription_object-status). */
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

interface Period {
  readonly start: Timestamp | null;
  readonly end: Timestamp | null;
}

/** Returns the latest period of the items, which had a common one of the subscription before the API of March 2025. */
function periodOf(subscription: JsonObject): Period {
  const items = listOf(objectOf(subscription['items'])['data']);
  const latest = (field: string) =>
    latestOf([secondsTimeOf(subscription[field]), ...items.map((item) => secondsTimeOf(item[field]))]);
  return { start: latest('current_period_start'), end: latest('current_period_end') };
}

/** Returns what is paid. `unpaid`: Stripe has given up the payment of the present period, so only the one before is paid. */
function paidOf(subscription: JsonObject): Pick<SaleFields, 'paidSince' | 'paidUntil'> | undefined {
  const { start, end } = periodOf(subscription);
  switch (subscription['status']) {
    case 'unpaid':
      return { paidSince: start, paidUntil: start };
    case 'incomplete_expired': {
      const created = secondsTimeOf(subscription['created']);
      return { paidSince: null, paidUntil: created };
    }
    default:
      return end === null ? undefined : { paidSince: start, paidUntil: end };
  }
}

/** Returns when the subscription ends or has ended; null if that is not known. */
function endOf(subscription: JsonObject): Timestamp | null {
  const { status } = subscription;
  if (status === 'incomplete_expired') return secondsTimeOf(subscription['created']);
  const canceledAt = status === 'canceled' ? secondsTimeOf(subscription['canceled_at']) : null;
  const atPeriodEnd = subscription['cancel_at_period_end'] === true ? periodOf(subscription).end : null;
  return (
    secondsTimeOf(subscription['ended_at']) ?? canceledAt ?? secondsTimeOf(subscription['cancel_at']) ?? atPeriodEnd
  );
}

/**
 * Returns the prices of a subscription. A metered price has no quantity and counts once. Undefined if the message contains
 * only the first ones, because the others would count as removed.
 */
function itemsOf(subscription: JsonObject): SaleFields['items'] | undefined {
  const { data, has_more } = objectOf(subscription['items']);
  if (has_more === true) return undefined;
  return listOf(data).flatMap((item) => {
    const externalId = idOf(item['price']) ?? idOf(item['plan']);
    return externalId === null ? [] : [{ externalId, quantity: quantityOf(item['quantity']) }];
  });
}

/** Returns the buyer of an expanded customer; undefined if only its id is known. */
function buyerOf(customer: unknown): Buyer | undefined {
  const { object, id, name, email } = objectOf(customer);
  return object === 'customer' ? { reference: idOf(id), name: textOf(name), email: textOf(email) } : undefined;
}

/** Returns since when a payment is missing, from the expanded invoice that is not paid; undefined if that is not known. */
function missingSince({ status, latest_invoice }: JsonObject): Timestamp | null | undefined {
  if (status !== 'past_due' && status !== 'unpaid') return null;
  return secondsTimeOf(objectOf(latest_invoice)['created']) ?? undefined;
}

/**
 * Returns what a subscription of Stripe says. A pause of the collection is no pause of the subscription: the customer keeps
 * the access (https://docs.stripe.com/billing/subscriptions/pause-payment).
 */
export function subscriptionFields(subscription: JsonObject): Partial<SaleFields> {
  const state = states[String(subscription['status'])];
  const startedAt = secondsTimeOf(subscription['start_date']) ?? secondsTimeOf(subscription['created']);
  const pastDueSince = missingSince(subscription);
  const buyer = buyerOf(subscription['customer']);
  const items = itemsOf(subscription);
  return {
    kind: 'subscription',
    ...(items !== undefined && { items }),
    endsAt: endOf(subscription),
    ...(startedAt !== null && { startedAt }),
    ...(state !== undefined && { state }),
    ...paidOf(subscription),
    ...(pastDueSince !== undefined && { pastDueSince }),
    ...(buyer !== undefined && { buyer }),
  };
}

/**
 * Divides the fields of an update into those that it changed and those that it only repeats. Stripe's times are whole seconds,
 * and of two updates of one second the one that changed a field decides it.
 */
export function divideByChange(
  fields: Partial<SaleFields>,
  previous: JsonObject,
): { readonly changed: Partial<SaleFields>; readonly repeated: Partial<SaleFields> } {
  const isChanged = (field: string) =>
    Object.entries(sources).some(([name, names]) => name === field && names.some((source) => source in previous));
  const entries = Object.entries(fields);
  return {
    changed: Object.fromEntries(entries.filter(([field]) => isChanged(field))),
    repeated: Object.fromEntries(entries.filter(([field]) => !isChanged(field))),
  };
}

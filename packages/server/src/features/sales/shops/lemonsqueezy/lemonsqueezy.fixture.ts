import { createHmac } from 'node:crypto';
import type { Order, Subscription, SubscriptionInvoice } from '@lemonsqueezy/lemonsqueezy.js';
import type { ReceivedMessage } from '../shop.ts';

/** The signing secret of the webhook in tests. */
export const lemonSqueezySecret = 'a-secret-of-the-vendor';

export const bought = '2026-11-01T00:00:00.000000Z';
export const periodEnd = '2026-12-01T00:00:00.000000Z';

type Attributes<Resource extends { readonly data: { readonly attributes: unknown } }> = Partial<
  Resource['data']['attributes']
>;

const customer = { store_id: 1, customer_id: 5, user_name: 'Ada Lovelace', user_email: 'ada@example.com' };

/** Returns the attributes of a paid order. */
export function orderOf(fields: Attributes<Order> = {}) {
  const item = { id: 3, order_id: 1, product_id: 8, variant_id: 9, price_id: 2, quantity: 3, product_name: 'Pro' };
  return {
    ...customer,
    identifier: '89b36d62-4f5b-4353-853f-0c769d0535c8',
    currency: 'JPY',
    total: 4900,
    refunded_amount: 0,
    status: 'paid',
    refunded: false,
    refunded_at: null,
    created_at: bought,
    updated_at: bought,
    ...fields,
    first_order_item: { ...item, ...fields.first_order_item },
  } satisfies { [Field in keyof Attributes<Order>]: unknown };
}

/** Returns the attributes of a subscription of the order 1. */
export function subscriptionOf(fields: Attributes<Subscription> = {}) {
  const item = { id: 4, subscription_id: 1, price_id: 2, quantity: 3, is_usage_based: false };
  const first = { ...item, created_at: bought, updated_at: bought };
  return {
    ...customer,
    order_id: 1,
    order_item_id: 3,
    product_id: 8,
    variant_id: 9,
    status: 'active',
    pause: null,
    cancelled: false,
    trial_ends_at: null,
    first_subscription_item: first,
    renews_at: periodEnd,
    ends_at: null,
    created_at: bought,
    updated_at: bought,
    ...fields,
  } satisfies Attributes<Subscription>;
}

/** Returns the attributes of a paid invoice of the subscription 1. */
export function invoiceOf(
  fields: Omit<Attributes<SubscriptionInvoice>, 'billing_reason'> & { billing_reason?: string } = {},
) {
  return {
    ...customer,
    subscription_id: 1,
    billing_reason: 'renewal',
    status: 'paid',
    refunded: false,
    refunded_at: null,
    total: 4900,
    refunded_amount: 0,
    created_at: periodEnd,
    updated_at: periodEnd,
    ...fields,
  };
}

/** The kinds of objects in messages. */
export type ObjectType = 'orders' | 'subscriptions' | 'subscription-invoices' | 'license-keys';

/** Returns the body of a message. Its object has the id 1. */
export function eventOf(event_name: string, type: ObjectType, attributes: object): Buffer {
  return Buffer.from(JSON.stringify({ meta: { event_name, test_mode: false }, data: { type, id: '1', attributes } }));
}

/** Returns a request that is signed as the documentation describes it; the library has no function for it. */
export function signed(body: Buffer, secret = lemonSqueezySecret): ReceivedMessage {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { headers: { 'x-signature': signature }, body, receivedAt: bought };
}

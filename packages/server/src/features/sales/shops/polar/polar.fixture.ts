import { createHmac } from 'node:crypto';
import type { models } from '@polar-sh/sdk/2026-04';
import { toEpochMs } from '../../../../lib/clock.ts';
import type { ReceivedMessage } from '../shop.ts';

/** The secret of the endpoint in tests. Polar signs with its text. */
export const polarSecret = 'polar_whs_ovyN6cPrTv56AApvzCaJno08SSmGJmgbWilb33N2JuK';

export const bought = '2026-11-01T00:00:00.000000Z';
export const periodEnd = '2026-12-01T00:00:00.000000Z';

const customer = { id: 'cus_1', email: 'ada@example.com', name: 'Ada Lovelace' };

/** Returns a subscription with the fields that are read. The types are those of Polar's library. */
export function subscriptionOf(fields: Partial<models.Subscription> = {}) {
  return {
    id: 'sub_1',
    created_at: bought,
    modified_at: null,
    status: 'active',
    current_period_start: bought,
    current_period_end: periodEnd,
    cancel_at_period_end: false,
    canceled_at: null,
    started_at: bought,
    ends_at: null,
    ended_at: null,
    past_due_at: null,
    customer_id: customer.id,
    product_id: 'prod_1',
    checkout_id: 'checkout_1',
    seats: 3,
    units: null,
    ...fields,
    customer,
  } satisfies Omit<Partial<models.Subscription>, 'customer'> & { readonly customer: object };
}

/** Returns a paid order of a one-time purchase. */
export function orderOf(fields: Partial<models.Order> = {}) {
  return {
    id: 'order_1',
    created_at: bought,
    modified_at: null,
    status: 'paid',
    paid: true,
    currency: 'jpy',
    billing_reason: 'purchase',
    customer_id: customer.id,
    product_id: 'prod_life',
    subscription_id: null,
    checkout_id: 'checkout_2',
    seats: null,
    units: null,
    items: [],
    ...fields,
    customer,
  } satisfies Omit<Partial<models.Order>, 'customer'> & { readonly customer: object };
}

/** Returns the body of an event of Polar. */
export function eventOf(type: models.WebhookEventType, data: object, timestamp: string): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp, data }));
}

/** Returns a request that is signed as Standard Webhooks, with the text of the secret as the key. */
export function signed(body: Buffer, at: string, key: string | Buffer = polarSecret): ReceivedMessage {
  const seconds = String(Math.floor(toEpochMs(at) / 1000));
  const signature = createHmac('sha256', key).update(`msg_1.${seconds}.`).update(body).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
  return { headers, body, receivedAt: at };
}

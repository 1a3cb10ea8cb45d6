import Stripe from 'stripe';
import { secondsTimeOf } from '../fields.ts';
import type { ReceivedMessage } from '../shop.ts';

const library = new Stripe('sk_test_imitated');

/** The secret of the endpoint in tests. */
export const stripeSecret = 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH';

/** 2026-11-01T00:00:00Z, when the subscription of the tests begins, in Unix seconds. */
export const bought = 1_793_491_200;
export const month = 30 * 86_400;

type SubscriptionFields = Omit<Partial<Stripe.Subscription>, 'items'>;

/** Returns a subscription of Stripe as its messages contain it: without expanded objects. */
export function subscriptionOf(
  fields: SubscriptionFields & { readonly quantity?: number; readonly price?: string; readonly start?: number } = {},
) {
  const { quantity = 3, price = 'price_pro_month', start = bought, ...others } = fields;
  const item = {
    id: 'si_1',
    object: 'subscription_item',
    current_period_start: start,
    current_period_end: start + month,
    quantity,
    price: { id: price, object: 'price' },
  } as const satisfies Omit<Partial<Stripe.SubscriptionItem>, 'price'> & { readonly price: Partial<Stripe.Price> };
  const subscription = {
    id: 'sub_1',
    object: 'subscription',
    customer: 'cus_1',
    created: bought,
    start_date: bought,
    status: 'active',
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    latest_invoice: 'in_1',
    ...others,
  } satisfies SubscriptionFields;
  return { ...subscription, items: { object: 'list', data: [item], has_more: false, url: '/v1/subscription_items' } };
}

/** Returns a completed checkout of a one-time purchase. */
export function sessionOf(fields: Partial<Stripe.Checkout.Session> = {}): Partial<Stripe.Checkout.Session> {
  return {
    id: 'cs_1',
    object: 'checkout.session',
    mode: 'payment',
    created: bought,
    payment_status: 'paid',
    status: 'complete',
    customer: null,
    payment_intent: 'pi_1',
    payment_link: null,
    subscription: null,
    invoice: null,
    customer_details: {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      address: null,
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
      business_name: null,
      individual_name: null,
    },
    ...fields,
  };
}

let count = 0;

/** Returns the body of an event of Stripe. `type` is one of the library's. */
export function eventOf(
  type: Stripe.Event.Type,
  object: object,
  created: number,
  previous_attributes?: object,
  fields: object = {},
): Buffer {
  count += 1;
  const data = { object, ...(previous_attributes !== undefined && { previous_attributes }) };
  const event = { id: `evt_${count}`, object: 'event', type, created, livemode: true, api_version: Stripe.API_VERSION };
  return Buffer.from(JSON.stringify({ ...event, data, ...fields }));
}

/** Returns a request with an event that the library of Stripe signs. `seconds`: the time of the signature. */
export function signed(body: Buffer, seconds: number, secret = stripeSecret): ReceivedMessage {
  const payload = body.toString('utf8');
  const header = library.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds });
  return { headers: { 'stripe-signature': header }, body, receivedAt: secondsTimeOf(seconds) ?? '' };
}

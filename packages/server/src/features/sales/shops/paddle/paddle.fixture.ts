import { createHmac } from 'node:crypto';
import type { EventName, SubscriptionStatus, TransactionOrigin, TransactionStatus } from '@paddle/paddle-node-sdk';
import { type Timestamp, toEpochMs } from '../../../../lib/clock.ts';
import { addDays } from '../../../../lib/duration.ts';
import type { ReceivedMessage } from '../shop.ts';

/** The secret of the notification destination in tests. */
export const paddleSecret = 'pdl_ntfset_01gkdqv3h1b2zcqzhbq7xrcv3d_imitated';

/** When the subscription of the tests begins. */
export const bought = '2026-11-01T00:00:00.000000Z';
export const periodEnd = '2026-12-01T00:00:00.000000Z';

/** Returns a price with every field that Paddle's library reads. */
export function priceOf(id: string, billing_cycle: object | null) {
  return {
    id,
    product_id: 'pro_1',
    description: 'internal',
    name: 'Monthly',
    type: 'standard',
    tax_mode: 'account_setting',
    billing_cycle,
    trial_period: null,
    unit_price: { amount: '980', currency_code: 'JPY' },
    unit_price_overrides: [],
    quantity: { minimum: 1, maximum: 100 },
    status: 'active',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };
}

const product = {
  ...{ id: 'pro_1', name: 'Pro', description: null, type: 'standard', tax_category: 'standard', image_url: null },
  ...{ status: 'active', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
};

/** Returns an item of a subscription or of a transaction. */
export function itemOf(
  price = 'pri_pro',
  quantity = 3,
  billing_cycle: object | null = { interval: 'month', frequency: 1 },
) {
  return { status: 'active', quantity, price: priceOf(price, billing_cycle), product };
}

interface SubscriptionFields {
  readonly id?: string;
  readonly status?: SubscriptionStatus;
  readonly canceled_at?: Timestamp;
  readonly scheduled_change?: object;
  readonly current_billing_period?: { readonly starts_at: Timestamp; readonly ends_at: Timestamp } | null;
  readonly items?: readonly object[];
}

/** Returns a subscription as Paddle's messages and API contain it. */
export function subscriptionOf(fields: SubscriptionFields = {}) {
  return {
    id: 'sub_1',
    status: 'active',
    customer_id: 'ctm_1',
    address_id: 'add_1',
    currency_code: 'EUR',
    collection_mode: 'automatic',
    created_at: bought,
    updated_at: bought,
    started_at: bought,
    canceled_at: null,
    scheduled_change: null,
    current_billing_period: { starts_at: bought, ends_at: periodEnd },
    billing_cycle: { interval: 'month', frequency: 1 },
    items: [itemOf()],
    ...fields,
  };
}

interface TransactionFields {
  readonly id?: string;
  readonly status?: TransactionStatus;
  readonly origin?: TransactionOrigin;
  readonly subscription_id?: string | null;
  readonly items?: readonly object[];
  readonly [included: string]: unknown;
}

/** Returns a completed transaction of a one-time purchase. */
export function transactionOf(fields: TransactionFields = {}) {
  return {
    id: 'txn_1',
    status: 'completed',
    origin: 'web',
    customer_id: 'ctm_1',
    subscription_id: null,
    currency_code: 'JPY',
    collection_mode: 'automatic',
    billing_period: null,
    items: [itemOf('pri_lifetime', 1, null)],
    payments: [],
    details: { tax_rates_used: [], totals: { total: '4900', grand_total: '4900' }, line_items: [] },
    created_at: bought,
    updated_at: bought,
    billed_at: bought,
    ...fields,
  };
}

let count = 0;

/** Returns the body of an event of Paddle. */
export function eventOf(event_type: `${EventName}`, data: object, occurred_at: Timestamp): Buffer {
  count += 1;
  return Buffer.from(
    JSON.stringify({ event_id: `evt_${count}`, event_type, occurred_at, notification_id: `ntf_${count}`, data }),
  );
}

/** Returns a request with a signature as Paddle's documentation describes it; the library has no function that signs. */
export function signed(body: Buffer, at: Timestamp, secret = paddleSecret): ReceivedMessage {
  const seconds = Math.floor(toEpochMs(at) / 1000);
  const hex = createHmac('sha256', secret).update(`${seconds}:`).update(body).digest('hex');
  return { headers: { 'paddle-signature': `ts=${seconds};h1=${hex}` }, body, receivedAt: at };
}

/** Returns the time so many days after the purchase. */
export const after = (days: number): Timestamp => addDays(bought, days);

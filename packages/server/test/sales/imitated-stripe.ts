import type Stripe from 'stripe';

/** A subscription of the imitated Stripe. Times are Unix seconds. */
export interface ShopSubscription {
  readonly id: string;
  readonly status?: Stripe.Subscription.Status;
  readonly quantity?: number;
  readonly price?: string;
  readonly paidUntil?: number;
  readonly endedAt?: number;
  readonly email?: string;
}

/** A price of the imitated Stripe, in minor units of its currency. */
interface ShopPrice {
  readonly id: string;
  readonly name: string;
  readonly amount: number;
  readonly currency: string;
  readonly interval?: 'month' | 'year';
}

const pageSize = 100;
const begin = 1_793_491_200;

/** The imitated Stripe of a test: its subscriptions, and what it answers instead of the next pages. */
export interface ImitatedStripe {
  readonly fetch: typeof fetch;
  readonly subscriptions: ShopSubscription[];
  readonly prices: ShopPrice[];
  /** Answers or failures of the next requests, in their order. */
  readonly next: (() => Response | Promise<Response>)[];
  /** The number of pages of subscriptions that were read. */
  pages(): number;
}

function toStripe({
  id,
  status = 'active',
  quantity = 1,
  price = 'pro',
  paidUntil = begin + 60 * 86_400,
  endedAt,
  email = `${id}@example.com`,
}: ShopSubscription) {
  return {
    id,
    object: 'subscription',
    status,
    created: begin,
    start_date: begin,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: endedAt ?? null,
    ended_at: endedAt ?? null,
    customer: { id: `cus_${id}`, object: 'customer', name: 'Ada Lovelace', email },
    latest_invoice: { id: `in_${id}`, created: begin },
    items: {
      data: [{ id: 'si', current_period_start: begin, current_period_end: paidUntil, quantity, price: { id: price } }],
      has_more: false,
    },
  };
}

function toStripePrice({ id, name, amount, currency, interval }: ShopPrice) {
  const recurring = interval === undefined ? null : { interval, interval_count: 1 };
  return { id, object: 'price', unit_amount: amount, currency, recurring, nickname: null, product: { name } };
}

/** Imitates the lists of Stripe's API that the service reads. The unit tests of `stripe/api.ts` compare it with the library. */
export function imitateStripe(subscriptions: ShopSubscription[] = []): ImitatedStripe {
  const next: (() => Response | Promise<Response>)[] = [];
  const prices: ShopPrice[] = [];
  let pages = 0;
  const imitated: typeof fetch = async (input) => {
    const url = new URL(String(input));
    if (url.origin !== 'https://api.stripe.com') throw new TypeError(`The test has no host ${url.origin}.`);
    const failure = next.shift();
    if (failure !== undefined) return await failure();
    if (url.pathname === '/v1/prices') return Response.json({ data: prices.map(toStripePrice), has_more: false });
    if (url.pathname !== '/v1/subscriptions') return Response.json({ data: [], has_more: false });
    pages += 1;
    const after = url.searchParams.get('starting_after');
    const start = after === null ? 0 : subscriptions.findIndex(({ id }) => id === after) + 1;
    const data = subscriptions.slice(start, start + pageSize).map(toStripe);
    return Response.json({ data, has_more: start + pageSize < subscriptions.length });
  };
  return { fetch: imitated, subscriptions, prices, next, pages: () => pages };
}

/** Returns so many subscriptions with ids in order. */
export function subscriptionsOf(count: number): ShopSubscription[] {
  return Array.from({ length: count }, (_, index) => ({ id: `sub_${String(index).padStart(6, '0')}` }));
}

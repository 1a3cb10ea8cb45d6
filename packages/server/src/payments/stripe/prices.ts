import type Stripe from 'stripe';
import { PaymentProviderError, type PlanPrice } from '../provider.ts';
import { once, type StripeContext } from './context.ts';
import { callStripe, find } from './errors.ts';

/** In the metadata of prices: the code of the plan. */
const planCodeKey = 'licensing_plan_code';

/** A price never changes at Stripe: another amount is another one, with another key. */
function lookupKeyOf({ planCode, interval, currency, amount }: PlanPrice): string {
  return `licensing:${planCode}:${interval}:${currency}:${amount}`;
}

/** The id of a plan's price at Stripe, which is made where there is none yet, with its product. */
export async function ensurePrice(context: StripeContext, price: PlanPrice): Promise<string> {
  const lookupKey = lookupKeyOf(price);
  const known = context.priceIds.get(lookupKey);
  if (known !== undefined) return known;
  const id = (await findPrice(context, lookupKey)) ?? (await makePrice(context, price, lookupKey));
  context.priceIds.set(lookupKey, id);
  return id;
}

async function findPrice({ client }: StripeContext, lookupKey: string): Promise<string | undefined> {
  const { data } = await callStripe(() => client.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 }));
  return data[0]?.id;
}

async function makePrice(context: StripeContext, price: PlanPrice, lookupKey: string): Promise<string> {
  const { client } = context;
  const product = await ensureProduct(context, price);
  const params = {
    product,
    currency: price.currency,
    unit_amount: price.amount,
    recurring: { interval: price.interval },
    lookup_key: lookupKey,
    metadata: { [planCodeKey]: price.planCode },
  };
  try {
    return (await callStripe(() => client.prices.create(params, once(`price-${lookupKey}`)))).id;
  } catch (error) {
    // Another node made it at the same time: a lookup key is one price's.
    const made =
      error instanceof PaymentProviderError && error.reason === 'refused' && (await findPrice(context, lookupKey));
    if (made) return made;
    throw error;
  }
}

async function ensureProduct({ client }: StripeContext, { planCode, planName }: PlanPrice): Promise<string> {
  const id = `licensing_plan_${planCode}`;
  if ((await find(() => client.products.retrieve(id))) !== undefined) return id;
  const params = { id, name: planName };
  // The same key on every node: whoever comes second is answered what the first one made.
  await callStripe(() => client.products.create(params, once(`product-${planCode}`)));
  return id;
}

/** What the service calls the plan of a price. Throws `refused` for one that somebody made at Stripe. */
export function planCodeOf(price: Stripe.Price): string {
  const code = price.metadata[planCodeKey];
  if (code !== undefined) return code;
  throw new PaymentProviderError(
    'refused',
    `The price ${price.id} at Stripe names no plan: set its metadata ${planCodeKey} to the code of one.`,
  );
}

import type Stripe from 'stripe';
import { PaymentProviderError, type PlanPrice } from '../provider.ts';
import { callStripe, find, once, type StripeContext, stripeAmount } from './context.ts';

/** The metadata key of a price that holds the code of its plan. */
const planCodeKey = 'licensing_plan_code';

/** Returns the lookup key of a price. Prices are immutable at Stripe, so another amount has another key. */
function lookupKeyOf({ planCode, interval, currency, amount }: PlanPrice): string {
  return `licensing:${planCode}:${interval}:${currency}:${amount}`;
}

/** Returns the id of a plan's price at Stripe. Creates the price and its product if they are missing. */
export async function ensurePrice(context: StripeContext, price: PlanPrice): Promise<string> {
  const lookupKey = lookupKeyOf(price);
  const known = context.priceIds.get(lookupKey);
  if (known !== undefined) return known;
  const id = (await findPrice(context, lookupKey)) ?? (await createPrice(context, price, lookupKey));
  context.priceIds.set(lookupKey, id);
  return id;
}

async function findPrice({ client, calculatesTax }: StripeContext, lookupKey: string): Promise<string | undefined> {
  const { data } = await callStripe(() => client.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 }));
  const [price] = data;
  if (price === undefined) return undefined;
  // A price of an earlier version of the service: Stripe Tax would use the account's default for it.
  if (calculatesTax && price.tax_behavior === 'unspecified') {
    await callStripe(() => client.prices.update(price.id, { tax_behavior: 'exclusive' }, once()));
  }
  return price.id;
}

async function createPrice(context: StripeContext, price: PlanPrice, lookupKey: string): Promise<string> {
  const { client } = context;
  const unit_amount = stripeAmount(price.amount, price.currency);
  const product = await ensureProduct(context, price);
  const params: Stripe.PriceCreateParams = {
    product,
    currency: price.currency,
    unit_amount,
    tax_behavior: 'exclusive',
    recurring: { interval: price.interval },
    lookup_key: lookupKey,
    metadata: { [planCodeKey]: price.planCode },
  };
  try {
    return (await callStripe(() => client.prices.create(params, once(`price-${lookupKey}`)))).id;
  } catch (error) {
    // Another node has created the price concurrently: lookup keys are unique.
    const existing =
      error instanceof PaymentProviderError && error.reason === 'refused' && (await findPrice(context, lookupKey));
    if (existing) return existing;
    throw error;
  }
}

async function ensureProduct({ client }: StripeContext, { planCode, planName }: PlanPrice): Promise<string> {
  const id = `licensing_plan_${planCode}`;
  if ((await find(() => client.products.retrieve(id))) !== undefined) return id;
  const params = { id, name: planName };
  // All nodes use the same idempotency key, so a concurrent call returns the product of the first one.
  await callStripe(() => client.products.create(params, once(`product-${planCode}`)));
  return id;
}

/** Returns the plan code of a price. Throws `refused` for a price that was created at Stripe without a plan code. */
export function planCodeOf(price: Stripe.Price): string {
  const code = price.metadata[planCodeKey];
  if (code !== undefined) return code;
  throw new PaymentProviderError(
    'refused',
    `The price ${price.id} at Stripe has no plan code. Set its metadata ${planCodeKey} to the code of a plan.`,
  );
}

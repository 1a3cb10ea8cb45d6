import type Stripe from 'stripe';
import type { NewCheckout, ProviderCheckout } from '../provider.ts';
import { callStripe, find, idOf, once, referenceKey, type StripeContext } from './context.ts';
import { ensurePrice } from './prices.ts';

/**
 * Converts a session's status. An unknown status counts as `open`, because the checkout is then not known to be paid.
 */
function statusOf({ status }: Stripe.Checkout.Session): ProviderCheckout['status'] {
  if (status === 'complete') return 'complete';
  return status === 'expired' ? 'expired' : 'open';
}

/** Converts a session of Stripe to the checkout of the provider interface. */
function toCheckout(session: Stripe.Checkout.Session): ProviderCheckout {
  const status = statusOf(session);
  return {
    id: session.id,
    reference: session.client_reference_id ?? '',
    status,
    url: status === 'open' ? session.url : null,
    customerId: idOf(session.customer),
    subscriptionId: status === 'complete' ? idOf(session.subscription) : null,
  };
}

/** A trial that needs no card. Without a card at its end the subscription ends. */
function trialOf(trialDays: number): Stripe.Checkout.SessionCreateParams.SubscriptionData {
  return { trial_period_days: trialDays, trial_settings: { end_behavior: { missing_payment_method: 'cancel' } } };
}

/** Implements `createCheckout` of the provider. Stripe keeps the idempotency key for as long as a checkout is open. */
export async function createStripeCheckout(context: StripeContext, checkout: NewCheckout): Promise<ProviderCheckout> {
  const { reference, customer, trialDays, successUrl, cancelUrl } = checkout;
  const price = await ensurePrice(context, checkout.price);
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: 'subscription',
    client_reference_id: reference,
    customer_email: customer.email,
    line_items: [{ price, quantity: 1 }],
    subscription_data: { metadata: { [referenceKey]: reference }, ...(trialDays > 0 && trialOf(trialDays)) },
    ...(trialDays > 0 && { payment_method_collection: 'if_required' }),
    allow_promotion_codes: true,
    billing_address_collection: 'required',
    tax_id_collection: { enabled: true },
    ...(context.calculatesTax && { automatic_tax: { enabled: true } }),
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
  return toCheckout(
    await callStripe(() => context.client.checkout.sessions.create(params, once(`checkout-${reference}`))),
  );
}

/** Implements `findCheckout` of the provider. */
export async function findStripeCheckout({ client }: StripeContext, id: string): Promise<ProviderCheckout | undefined> {
  const session = await find(() => client.checkout.sessions.retrieve(id));
  return session && toCheckout(session);
}

/** Implements `expireCheckout` of the provider. */
export async function expireStripeCheckout({ client }: StripeContext, id: string): Promise<void> {
  const session = await callStripe(() => client.checkout.sessions.retrieve(id));
  if (session.status === 'open') await callStripe(() => client.checkout.sessions.expire(id, {}, once()));
}

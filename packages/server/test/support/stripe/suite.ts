import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { PaymentProvider, PlanPrice, ProviderSubscription } from '../../../src/payments/provider.ts';
import { newCheckout } from '../../payments/sandbox-data.ts';
import { useApp } from '../harness.ts';
import { type StripeServer, startStripeServer, stripeSecretKey } from './server.ts';
import { completeCheckout, type Purchase } from './subscriptions.ts';

/** A purchase on Stripe's hosted page. */
export interface Bought {
  readonly reference: string;
  readonly checkoutId: string;
  readonly subscriptionId: string;
  readonly customerId: string;
}

/** The provider of a service under test, with the account that it uses. */
export interface StripeSuite {
  readonly server: StripeServer;
  readonly payments: PaymentProvider;
  /** Buys a plan, with a trial of `trialDays`. */
  buy(price: PlanPrice, purchase?: Purchase & { readonly trialDays?: number }): Promise<Bought>;
  /** Reads a subscription. Throws when there is none. */
  subscriptionOf(id: string): Promise<ProviderSubscription>;
}

/**
 * Runs the service of a suite with Stripe. The suite fails when a request or a response differed from Stripe's
 * description.
 */
export function useStripe(settings: NodeJS.ProcessEnv = {}): StripeSuite {
  const env: NodeJS.ProcessEnv = {
    PAYMENT_PROVIDER: 'stripe',
    STRIPE_SECRET_KEY: stripeSecretKey,
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    ...settings,
  };
  let server: StripeServer;
  beforeAll(async () => {
    server = await startStripeServer();
    env['STRIPE_API_URL'] = server.url;
  });
  afterAll(async () => {
    await server.close();
    expect(server.violations).toEqual([]);
  });
  const suite = useApp(env);
  beforeEach(() => {
    suite.app.secrets.note(stripeSecretKey);
    server.requests.length = 0;
  });
  const payments = () => {
    const { payments: provider } = suite.app.services;
    if (provider === null) throw new Error('Stripe was not configured.');
    return provider;
  };
  return {
    get server() {
      return server;
    },
    get payments() {
      return payments();
    },
    async buy(price, { trialDays = 0, ...purchase } = {}) {
      const checkout = newCheckout(price, trialDays);
      const { id } = await payments().createCheckout(checkout);
      const { id: subscriptionId, customer } = completeCheckout(server.account, id, purchase);
      return { reference: checkout.reference, checkoutId: id, subscriptionId, customerId: customer };
    },
    async subscriptionOf(id) {
      const subscription = await payments().findSubscription(id);
      if (subscription === undefined) throw new Error(`There is no subscription ${id}.`);
      return subscription;
    },
  };
}

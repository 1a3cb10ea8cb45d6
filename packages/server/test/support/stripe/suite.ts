import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { newId } from '../../../src/lib/ids.ts';
import type { PaymentProvider, PlanPrice, ProviderSubscription } from '../../../src/payments/provider.ts';
import { runTenantJobs } from '../../jobs/job-rows.ts';
import { newCheckout } from '../../payments/sandbox-data.ts';
import { type TestApp, useApp } from '../harness.ts';
import { nowSeconds } from './account.ts';
import { type StripeServer, startStripeServer, stripeSecretKey } from './server.ts';
import { completeCheckout, type Purchase } from './subscriptions.ts';

const webhookSecret = 'whsec_0123456789abcdef';
const { webhooks } = new Stripe(stripeSecretKey);

/** A purchase on Stripe's hosted page. */
export interface Bought {
  readonly reference: string;
  readonly checkoutId: string;
  readonly subscriptionId: string;
  readonly customerId: string;
}

/** The provider of a service under test, with the account that it uses. */
export interface StripeSuite {
  readonly app: TestApp;
  readonly server: StripeServer;
  readonly payments: PaymentProvider;
  /** Sends a signed event about an object of the account, as Stripe does, and runs the work that it causes. */
  sendEvent(type: string, object: object): Promise<void>;
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
    STRIPE_WEBHOOK_SECRET: webhookSecret,
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
    get app() {
      return suite.app;
    },
    get server() {
      return server;
    },
    get payments() {
      return payments();
    },
    async sendEvent(type, object) {
      const event = { id: `evt_${newId()}`, object: 'event', type, created: nowSeconds(), livemode: false };
      const payload = JSON.stringify({ ...event, data: { object } });
      const signature = webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      const answer = await suite.app.request({ method: 'POST', url: '/webhooks/stripe', payload, headers });
      expect(answer.status).toBe(200);
      await runTenantJobs(suite.app);
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

import Stripe from 'stripe';
import type { StripeConfig } from '../../config/payment-config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PaymentProvider } from '../provider.ts';
import {
  cancelStripeNow,
  changeAtPeriodEnd,
  changeNow,
  dropPending,
  extendStripeTrial,
  findStripeSubscription,
  previewStripeChange,
  previewStripeRenewal,
  setStripeCancelAtPeriodEnd,
} from './changes.ts';
import { createStripeCheckout, expireStripeCheckout, findStripeCheckout } from './checkout.ts';
import { callStripe, once, type StripeContext } from './context.ts';
import { applyStripeCoupon, countStripeRedemptions, createStripeCoupon, deactivateStripeCoupon } from './coupons.ts';
import {
  addStripeCredit,
  createStripeCustomer,
  findStripeCard,
  findStripeCustomerDetails,
  updateStripeCustomer,
} from './customers.ts';
import { verifyStripeEvent } from './event.ts';
import {
  createStripeInvoice,
  deleteStripeDraft,
  finalizeStripeInvoice,
  findStripeInvoice,
  listStripeInvoices,
  refundStripeInvoice,
} from './invoices.ts';
import { toSubscription } from './subscription.ts';

/** Creates the payment provider that uses Stripe through its official library. */
export function createStripe(settings: StripeConfig, clock: Clock): PaymentProvider {
  const { webhookSecret, calculatesTax } = settings;
  const client = createStripeClient(settings);
  const context: StripeContext = { client, clock, priceIds: new Map(), taxRates: new Map(), calculatesTax };
  const isLive = /^[a-z]+_live_/.test(settings.secretKey);
  return {
    name: 'stripe',
    billingPortalChangesDetails: false,
    now: () => Promise.resolve(clock.now()),

    createCheckout: (checkout) => createStripeCheckout(context, checkout),
    findCheckout: (id) => findStripeCheckout(context, id),
    expireCheckout: (id) => expireStripeCheckout(context, id),

    createCustomer: (tenantId, details) => createStripeCustomer(context, tenantId, details),
    findCustomerDetails: (id) => findStripeCustomerDetails(context, id),
    findCard: (id) => findStripeCard(context, id),

    async findSubscription(id) {
      const subscription = await findStripeSubscription(context, id);
      return subscription && toSubscription(subscription, clock.nowMs());
    },
    listInvoices: (subscriptionId) => listStripeInvoices(context, subscriptionId),
    previewChange: (id, price) => previewStripeChange(context, id, price),
    previewRenewal: (id) => previewStripeRenewal(context, id),
    changePlan: (id, price, when, key) =>
      when === 'period_end'
        ? changeAtPeriodEnd(context, id, price, key)
        : changeNow(context, id, price, when === 'now', key),
    cancelPendingChange: (id) => dropPending(context, id),
    setCancelAtPeriodEnd: (id, cancels) => setStripeCancelAtPeriodEnd(context, id, cancels),
    cancelNow: (id) => cancelStripeNow(context, id),
    extendTrial: (id, trialEndsAt) => extendStripeTrial(context, id, trialEndsAt),

    createCoupon: (coupon) => createStripeCoupon(context, coupon),
    deactivateCoupon: (code) => deactivateStripeCoupon(context, code),
    countRedemptions: (code) => countStripeRedemptions(context, code),
    applyCoupon: (id, code, key) => applyStripeCoupon(context, id, code, key),

    updateCustomer: (id, details) => updateStripeCustomer(context, id, details),
    async createBillingPortalSession(customer, return_url) {
      const { url } = await callStripe(() => client.billingPortal.sessions.create({ customer, return_url }, once()));
      return { url };
    },
    addCredit: (customerId, credit, key) => addStripeCredit(context, customerId, credit, key),
    findInvoice: (id) => findStripeInvoice(context, id),
    createInvoice: (customerId, invoice) => createStripeInvoice(context, customerId, invoice),
    deleteDraft: (id) => deleteStripeDraft(context, id),
    finalizeInvoice: (id) => finalizeStripeInvoice(context, id),
    refundInvoice: (id, refund) => refundStripeInvoice(context, id, refund),
    async voidInvoice(id) {
      await callStripe(() => client.invoices.voidInvoice(id, {}, once()));
    },
    async markInvoiceUncollectible(id) {
      await callStripe(() => client.invoices.markUncollectible(id, {}, once()));
    },
    async retryInvoice(id) {
      await callStripe(() => client.invoices.pay(id, {}, once()));
    },

    verifyEvent: (rawBody, headers) =>
      verifyStripeEvent(client, rawBody, headers['stripe-signature'], { webhookSecret, isLive, nowMs: clock.nowMs() }),
  };
}

/** The version of Stripe's API that this code and the library's types use. */
const apiVersion = '2026-10-28.endive';
const timeoutMs = 20_000;
const networkRetriesMax = 2;

/** Creates the client of Stripe's library. It retries requests without a response under the same idempotency key. */
function createStripeClient({ secretKey, apiUrl }: StripeConfig): Stripe {
  return new Stripe(secretKey, {
    apiVersion,
    timeout: timeoutMs,
    maxNetworkRetries: networkRetriesMax,
    telemetry: false,
    ...(apiUrl !== null && addressOf(new URL(apiUrl))),
  });
}

function addressOf({ hostname, port, protocol }: URL) {
  const isTls = protocol === 'https:';
  return { host: hostname, port: port || (isTls ? '443' : '80'), protocol: isTls ? 'https' : 'http' } as const;
}

import type Stripe from 'stripe';
import type { StripeConfig } from '../../config/payment-config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CustomerDetails, PaymentProvider, ProviderInvoice } from '../provider.ts';
import {
  cancelStripeNow,
  changeAtPeriodEnd,
  changeNow,
  dropPending,
  findStripeSubscription,
  previewStripeChange,
  previewStripeRenewal,
  setStripeCancelAtPeriodEnd,
} from './changes.ts';
import { createStripeCheckout, expireStripeCheckout, findStripeCheckout } from './checkout.ts';
import { createStripeClient } from './client.ts';
import { once, type StripeContext } from './context.ts';
import { callStripe } from './errors.ts';
import { verifyStripeEvent } from './event.ts';
import { toInvoice } from './invoice.ts';
import { toSubscription } from './subscription.ts';

const invoicesMax = 100;

/** Creates the payment provider that uses Stripe through its official library. */
export function createStripe(settings: StripeConfig, clock: Clock): PaymentProvider {
  const client = createStripeClient(settings);
  const context: StripeContext = { client, clock, priceIds: new Map() };
  const isLive = /^[a-z]+_live_/.test(settings.secretKey);
  const { webhookSecret } = settings;
  return {
    name: 'stripe',
    now: () => Promise.resolve(clock.now()),

    createCheckout: (checkout) => createStripeCheckout(context, checkout),
    findCheckout: (id) => findStripeCheckout(context, id),
    expireCheckout: (id) => expireStripeCheckout(context, id),

    async findSubscription(id) {
      const subscription = await findStripeSubscription(context, id);
      return subscription && toSubscription(subscription);
    },
    listInvoices: (subscriptionId) => listStripeInvoices(client, subscriptionId),
    previewChange: (id, price) => previewStripeChange(context, id, price),
    previewRenewal: (id) => previewStripeRenewal(context, id),
    changePlan: (id, price, when, key) =>
      when === 'now' ? changeNow(context, id, price, key) : changeAtPeriodEnd(context, id, price, key),
    cancelPendingChange: (id) => dropPending(context, id),
    setCancelAtPeriodEnd: (id, cancels) => setStripeCancelAtPeriodEnd(context, id, cancels),
    cancelNow: (id) => cancelStripeNow(context, id),

    async updateCustomer(id, details) {
      await callStripe(() => client.customers.update(id, toCustomerParams(details), once()));
    },
    async createPortalSession(customer, return_url) {
      const { url } = await callStripe(() => client.billingPortal.sessions.create({ customer, return_url }, once()));
      return { url };
    },
    async addCredit(customerId, { amount, currency, reason }, key) {
      // At Stripe a negative balance is a credit of the customer.
      const params = { amount: -amount, currency, description: reason };
      await callStripe(() =>
        client.customers.createBalanceTransaction(customerId, params, once(`credit-${customerId}-${key}`)),
      );
    },
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

async function listStripeInvoices(client: Stripe, subscription: string): Promise<ProviderInvoice[]> {
  const { data } = await callStripe(() => client.invoices.list({ subscription, limit: invoicesMax }));
  const invoices: ProviderInvoice[] = [];
  for (const invoice of data) {
    // An invoice includes its first ten lines; the others are read separately.
    const lines = invoice.lines.has_more
      ? await callStripe(() => client.invoices.listLineItems(invoice.id, { limit: invoicesMax }))
      : invoice.lines;
    invoices.push(toInvoice(invoice, lines.data));
  }
  return invoices;
}

/**
 * Converts billing details. The tax id becomes a custom field, because Stripe's tax ids require their type and country.
 */
function toCustomerParams({ name, email, address, taxId }: CustomerDetails): Stripe.CustomerUpdateParams {
  const custom_fields = taxId === null ? '' : [{ name: 'Tax ID', value: taxId }];
  return {
    name,
    email,
    address: address === null ? '' : toAddressParams(address),
    invoice_settings: { custom_fields },
  };
}

function toAddressParams(address: NonNullable<CustomerDetails['address']>): Stripe.AddressParam {
  const { line1, line2, city, postal_code, state, country } = address;
  return { line1, line2: line2 ?? '', city, postal_code: postal_code ?? '', state: state ?? '', country };
}

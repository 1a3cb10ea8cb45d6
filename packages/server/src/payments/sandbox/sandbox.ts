import type { PlatformJob } from '../../jobs/job.ts';
import type { Timestamp } from '../../lib/clock.ts';
import {
  type PaymentProvider,
  PaymentProviderError,
  type ProviderInvoice,
  type ProviderSubscription,
} from '../provider.ts';
import { attachCard, changeAccount, changeOpenInvoice, paySandboxInvoice } from './accounts.ts';
import { assertPrice } from './amounts.ts';
import type { Card } from './cards.ts';
import {
  type CheckoutInput,
  createSandboxCheckout,
  expireSandboxCheckout,
  findSandboxCheckout,
  invoiceUrl,
  payCheckout,
  portalUrl,
} from './checkouts.ts';
import { type ClockAdvance, readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import {
  applySandboxCoupon,
  countSandboxRedemptions,
  createSandboxCoupon,
  deactivateSandboxCoupon,
} from './coupons.ts';
import {
  addSandboxCredit,
  createSandboxCustomer,
  findSandboxCard,
  findSandboxCustomerDetails,
  refundSandboxInvoice,
  updateSandboxCustomer,
} from './customers.ts';
import { deliveryJob, sendDueEvents } from './delivery.ts';
import { verifySandboxEvent } from './events.ts';
import { previewSandboxChange, previewSandboxRenewal } from './previews.ts';
import { extendTrial } from './purchase.ts';
import { createSandboxInvoice, deleteSandboxDraft, finalizeSandboxInvoice } from './single-invoices.ts';
import type { Account, SandboxInvoice } from './state.ts';
import { findAccount, findSandboxInvoice, listSandboxInvoices } from './store.ts';
import { cancelAtOnce, dropPendingChange, planChanges, setCancelAtPeriodEnd, settleUnpaid } from './subscription.ts';
import { advanceSandboxClock, clockJob, passDueTime, type RecordAdvance } from './time.ts';

/**
 * A built-in payment provider that moves no money. It stores customers, subscriptions and invoices in the platform
 * database, renews and collects by its own clock, and sends signed events to the service's own webhook.
 */
export interface Sandbox {
  readonly context: SandboxContext;
  readonly provider: PaymentProvider;
  /** The jobs that perform renewals, retries and expiries, and that send events. */
  readonly jobs: readonly PlatformJob[];
  /** Pays a checkout, like its page. Returns the redirect URL. Throws `declined` or `refused`. */
  pay(checkoutId: string, card: Card | null, input?: Partial<Omit<CheckoutInput, 'card'>>): Promise<string>;
  /** Changes the card of a customer, like the portal. Throws `declined`. */
  changeCard(customerId: string, card: Card): Promise<void>;
  /** Advances the clock and performs at once what becomes due. Returns the new time. Throws `refused`. */
  advanceClock(advance: ClockAdvance, record?: RecordAdvance): Promise<Timestamp>;
  /**
   * Performs all changes due by the sandbox's clock. Returns the time of the next one by the service's clock, or null.
   */
  passTime(): Promise<Timestamp | null>;
  /** Sends the due events. Returns when the next one is due; null for never. */
  sendEvents(): Promise<Timestamp | null>;
}

/** Creates the sandbox. It runs nothing itself: the job runner runs its jobs. */
export function createSandbox(context: SandboxContext): Sandbox {
  return {
    context,
    provider: createProvider(context),
    jobs: [clockJob(context), deliveryJob(context)],
    pay: (checkoutId, card, { coupon = null, details = null } = {}) =>
      payCheckout(context, checkoutId, { card, coupon, details }),
    async changeCard(customerId, card) {
      await changeAccount(context, { customer_id: customerId }, (work, at) => attachCard(work, card, at));
    },
    advanceClock: (advance, record) => advanceSandboxClock(context, advance, record),
    passTime: () => passDueTime(context),
    sendEvents: () => sendDueEvents(context),
  };
}

function createProvider(context: SandboxContext): PaymentProvider {
  const { platform, clock, keyring } = context;
  const ofSubscription = (id: string) => ({ subscription_id: id });
  return {
    name: 'sandbox',
    portalChangesDetails: true,
    now: () => readNow(platform.query, clock),

    createCheckout: (checkout) => createSandboxCheckout(context, checkout),
    findCheckout: (id) => findSandboxCheckout(context, id),
    expireCheckout: (id) => expireSandboxCheckout(context, id),

    createCustomer: (tenantId, details) => createSandboxCustomer(context, tenantId, details),
    findCustomerDetails: (customerId) => findSandboxCustomerDetails(context, customerId),
    findCard: (customerId) => findSandboxCard(context, customerId),

    async findSubscription(id) {
      const account = await findAccount(platform.query, ofSubscription(id));
      return account && presentSubscription(account);
    },
    async listInvoices(subscriptionId) {
      const invoices = await listSandboxInvoices(platform.query, subscriptionId);
      return invoices.map((invoice) => presentInvoice(context, invoice));
    },
    previewChange: (id, price) => previewSandboxChange(context, id, price),
    previewRenewal: (id) => previewSandboxRenewal(context, id),
    async changePlan(id, price, when, idempotencyKey) {
      assertPrice(price);
      const change = planChanges[when];
      const key = { idempotencyKey: `change ${id} ${idempotencyKey}` };
      await changeAccount(context, ofSubscription(id), (work, at) => change(work, price, at), key);
    },
    cancelPendingChange: (id) => changeAccount(context, ofSubscription(id), dropPendingChange),
    async setCancelAtPeriodEnd(id, cancels) {
      await changeAccount(context, ofSubscription(id), (work, at) => setCancelAtPeriodEnd(work, cancels, at));
    },
    cancelNow: (id) => changeAccount(context, ofSubscription(id), cancelAtOnce),
    async extendTrial(id, trialEndsAt) {
      await changeAccount(context, ofSubscription(id), (work, at) => extendTrial(work, trialEndsAt, at));
    },

    createCoupon: (coupon) => createSandboxCoupon(context, coupon),
    deactivateCoupon: (code) => deactivateSandboxCoupon(context, code),
    countRedemptions: (code) => countSandboxRedemptions(context, code),
    applyCoupon: (id, code, idempotencyKey) => applySandboxCoupon(context, id, code, idempotencyKey),

    updateCustomer: (id, details) => updateSandboxCustomer(context, id, details),
    async createPortalSession(customerId, returnUrl) {
      const account = await findAccount(platform.query, { customer_id: customerId });
      if (account === undefined)
        throw new PaymentProviderError('not_found', 'The sandbox has no such customer. Reload, then try again.');
      return { url: portalUrl(context, { customerId, returnUrl }) };
    },
    addCredit: (customerId, credit, idempotencyKey) => addSandboxCredit(context, customerId, credit, idempotencyKey),
    async findInvoice(id) {
      const invoice = await findSandboxInvoice(platform.query, id);
      return invoice && presentInvoice(context, invoice);
    },
    async createInvoice(customerId, invoice) {
      return presentInvoice(context, await createSandboxInvoice(context, customerId, invoice));
    },
    deleteDraft: (id) => deleteSandboxDraft(context, id),
    finalizeInvoice: (id) => finalizeSandboxInvoice(context, id),
    refundInvoice: (id, refund) => refundSandboxInvoice(context, id, refund),
    async voidInvoice(id) {
      await changeOpenInvoice(context, id, (work, invoice, at) => settleUnpaid(work, invoice, 'void', at));
    },
    async markInvoiceUncollectible(id) {
      await changeOpenInvoice(context, id, (work, invoice, at) => settleUnpaid(work, invoice, 'uncollectible', at));
    },
    retryInvoice: (id) => paySandboxInvoice(context, id),

    verifyEvent: (rawBody, headers) =>
      verifySandboxEvent(keyring, rawBody, headers['sandbox-signature'], clock.nowMs()),
  };
}

/** Returns the subscription of an account as the provider shows it; undefined for an account without one. */
function presentSubscription({ customerId, card, subscription }: Account): ProviderSubscription | undefined {
  if (subscription === null) return undefined;
  const {
    price,
    pendingPrice,
    anchorAt: _anchorAt,
    periodInterval: _interval,
    periodCharge: _charge,
    ...rest
  } = subscription;
  const { trialReminderAt: _reminder, periodNet: _net, ...shown } = rest;
  const { planCode, interval, currency, amount } = price;
  const pendingChange =
    pendingPrice === null
      ? null
      : {
          planCode: pendingPrice.planCode,
          interval: pendingPrice.interval,
          amount: pendingPrice.amount,
          at: subscription.currentPeriodEndsAt,
        };
  return { ...shown, customerId, planCode, interval, currency, amount, hasPaymentMethod: card !== null, pendingChange };
}

/** Returns an invoice as the provider shows it. */
function presentInvoice(context: SandboxContext, invoice: SandboxInvoice): ProviderInvoice {
  const { scheduledAttempts: _scheduledAttempts, dueInDays: _dueInDays, ...rest } = invoice;
  return { ...rest, paymentUrl: invoice.status === 'open' ? invoiceUrl(context, invoice.id) : null };
}

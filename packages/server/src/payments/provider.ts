import type { BillingInterval, InvoiceStatus, SubscriptionStatus } from '../db/tables/platform/billing.ts';
import type { Timestamp } from '../lib/clock.ts';

// What the service asks of a payment provider. The provider owns customers, subscriptions and invoices; the service
// keeps copies of them, which it makes anew from the provider's objects whenever an event says that one has changed.

/** What one plan costs per interval. Amounts are integers in the currency's minor unit; currencies are ISO 4217 codes in lower case. */
export interface PlanPrice {
  readonly planCode: string;
  readonly planName: string;
  readonly interval: BillingInterval;
  readonly currency: string;
  readonly amount: number;
}

export interface NewCheckout {
  /** The service's own id of the checkout: it comes back with the subscription, and makes repetitions harmless. */
  readonly reference: string;
  readonly customer: { readonly email: string; readonly name: string };
  readonly price: PlanPrice;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export interface ProviderCheckout {
  readonly id: string;
  readonly reference: string;
  readonly status: 'open' | 'complete' | 'expired';
  /** Where the customer pays; null once it is no longer open. */
  readonly url: string | null;
  readonly customerId: string | null;
  /** Null until it is complete. */
  readonly subscriptionId: string | null;
}

export interface ProviderSubscription {
  readonly id: string;
  readonly customerId: string;
  /** Of the checkout that it came from; null when somebody made it at the provider. */
  readonly reference: string | null;
  readonly status: SubscriptionStatus;
  readonly planCode: string;
  readonly interval: BillingInterval;
  readonly currency: string;
  readonly amount: number;
  readonly currentPeriodStartsAt: Timestamp;
  readonly currentPeriodEndsAt: Timestamp;
  readonly trialEndsAt: Timestamp | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly canceledAt: Timestamp | null;
  /** A change of plan that takes effect later. */
  readonly pendingChange: {
    readonly planCode: string;
    readonly interval: BillingInterval;
    readonly amount: number;
    readonly at: Timestamp;
  } | null;
  readonly createdAt: Timestamp;
}

export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** Of the whole line; negative for what is given back. */
  readonly amount: number;
  readonly periodStartsAt: Timestamp | null;
  readonly periodEndsAt: Timestamp | null;
}

export interface ProviderInvoice {
  readonly id: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly subtotal: number;
  readonly tax: number;
  readonly total: number;
  /** What is left to pay after credits. */
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly lines: readonly InvoiceLine[];
  readonly attemptCount: number;
  readonly nextAttemptAt: Timestamp | null;
  readonly dueAt: Timestamp | null;
  /** Where a customer pays it without logging in; the mail of a failed payment carries it. */
  readonly paymentUrl: string | null;
  readonly createdAt: Timestamp;
  readonly finalizedAt: Timestamp | null;
  readonly paidAt: Timestamp | null;
}

export interface CustomerDetails {
  readonly name: string;
  readonly email: string;
  readonly address: {
    readonly line1: string;
    readonly line2: string | null;
    readonly city: string;
    readonly postal_code: string | null;
    readonly state: string | null;
    /** ISO 3166-1 alpha-2. */
    readonly country: string;
  } | null;
  readonly taxId: string | null;
}

/** What a change of plan, or the next renewal, costs. */
export interface CostPreview {
  readonly currency: string;
  readonly amountDue: number;
  readonly at: Timestamp;
  readonly lines: readonly InvoiceLine[];
}

/** An event whose signature was verified. What it is about is read from the provider, never from the event. */
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Timestamp;
  /** Null for an event that is about no subscription, or of a type that the service does not know. */
  readonly subscriptionId: string | null;
  /** Of the service's own checkout; null when it is about none. */
  readonly checkoutReference: string | null;
}

/** When a change of plan takes effect. */
export type ChangeTime = 'now' | 'period_end';

export interface PaymentProvider {
  readonly name: 'stripe' | 'sandbox';
  /** The moment that the provider lives in: its periods and due dates are of this clock. The sandbox's can be advanced. */
  now(): Promise<Timestamp>;

  /** The same for every call with one reference, however often. */
  createCheckout(checkout: NewCheckout): Promise<ProviderCheckout>;
  findCheckout(id: string): Promise<ProviderCheckout | undefined>;
  /** Ends an open checkout, so that nobody can pay it any more. Of one that is over it changes nothing. */
  expireCheckout(id: string): Promise<void>;

  findSubscription(id: string): Promise<ProviderSubscription | undefined>;
  /** All of a subscription, the newest first, at most 100. */
  listInvoices(subscriptionId: string): Promise<readonly ProviderInvoice[]>;
  previewChange(subscriptionId: string, price: PlanPrice): Promise<CostPreview>;
  /** What the next renewal will cost; undefined when there will be none. */
  previewRenewal(subscriptionId: string): Promise<CostPreview | undefined>;
  /** Now: with a prorated invoice that is due at once; throws `declined` and changes nothing when it cannot be paid. */
  changePlan(subscriptionId: string, price: PlanPrice, when: ChangeTime, idempotencyKey: string): Promise<void>;
  cancelPendingChange(subscriptionId: string): Promise<void>;
  setCancelAtPeriodEnd(subscriptionId: string, cancels: boolean): Promise<void>;
  cancelNow(subscriptionId: string): Promise<void>;

  updateCustomer(customerId: string, details: CustomerDetails): Promise<void>;
  /** A page of the provider on which the customer manages cards and pays open invoices. */
  createPortalSession(customerId: string, returnUrl: string): Promise<{ readonly url: string }>;
  /** Lowers what future invoices charge. */
  addCredit(
    customerId: string,
    credit: { readonly amount: number; readonly currency: string; readonly reason: string },
    idempotencyKey: string,
  ): Promise<void>;
  voidInvoice(id: string): Promise<void>;
  markInvoiceUncollectible(id: string): Promise<void>;
  /** Tries to collect an open invoice now; throws `declined` when that fails. */
  retryInvoice(id: string): Promise<void>;

  /**
   * Verifies the signature over the raw body and that the event is no older than 300 s. Undefined when it is unsigned,
   * wrongly signed, stale or no event at all.
   */
  verifyEvent(
    rawBody: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): ProviderEvent | undefined;
}

/** Why a provider did not do what it was asked: `unavailable` may be tried again, the others not. */
export class PaymentProviderError extends Error {
  readonly reason: 'unavailable' | 'declined' | 'not_found' | 'refused';

  constructor(reason: PaymentProviderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PaymentProviderError';
    this.reason = reason;
  }
}

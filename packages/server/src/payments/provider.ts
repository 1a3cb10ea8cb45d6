import type { BillingInterval, InvoiceStatus, SubscriptionStatus } from '../db/tables/platform/billing.ts';
import type { Timestamp } from '../lib/clock.ts';

// The interface of a payment provider. The provider owns customers, subscriptions and invoices. The service stores them
// too, and syncs them from the provider whenever an event reports a change. All amounts are integers in the currency's
// minor unit; currencies are ISO 4217 codes in lower case.

/** The price of one plan per interval. `amount` is in minor units. */
export interface PlanPrice {
  readonly planCode: string;
  readonly planName: string;
  readonly interval: BillingInterval;
  readonly currency: string;
  readonly amount: number;
}

/** A checkout that the provider is to create. */
export interface NewCheckout {
  /** The service's own id of the checkout. The subscription carries it, and it makes repeated calls idempotent. */
  readonly reference: string;
  readonly customer: { readonly email: string; readonly name: string };
  readonly price: PlanPrice;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** A checkout as the provider has it. */
export interface ProviderCheckout {
  readonly id: string;
  readonly reference: string;
  readonly status: 'open' | 'complete' | 'expired';
  /** The page on which the customer pays; null unless the checkout is open. */
  readonly url: string | null;
  readonly customerId: string | null;
  /** Null until the checkout is complete. */
  readonly subscriptionId: string | null;
}

/** A subscription as the provider has it. Times are by the provider's clock. */
export interface ProviderSubscription {
  readonly id: string;
  readonly customerId: string;
  /** The reference of its checkout; null for a subscription that was created at the provider. */
  readonly reference: string | null;
  readonly status: SubscriptionStatus;
  readonly planCode: string;
  readonly interval: BillingInterval;
  readonly currency: string;
  /** The price per interval in minor units. */
  readonly amount: number;
  readonly currentPeriodStartsAt: Timestamp;
  readonly currentPeriodEndsAt: Timestamp;
  readonly trialEndsAt: Timestamp | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly canceledAt: Timestamp | null;
  /** A plan change that takes effect later. */
  readonly pendingChange: {
    readonly planCode: string;
    readonly interval: BillingInterval;
    readonly amount: number;
    readonly at: Timestamp;
  } | null;
  readonly createdAt: Timestamp;
}

/** One line of an invoice or of a preview. */
export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** The amount of the whole line in minor units; negative for a credit. */
  readonly amount: number;
  readonly periodStartsAt: Timestamp | null;
  readonly periodEndsAt: Timestamp | null;
}

/** An invoice as the provider has it. Amounts are in minor units. */
export interface ProviderInvoice {
  readonly id: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly subtotal: number;
  readonly tax: number;
  readonly total: number;
  /** The amount to pay after credits, in minor units. */
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly lines: readonly InvoiceLine[];
  readonly attemptCount: number;
  readonly nextAttemptAt: Timestamp | null;
  readonly dueAt: Timestamp | null;
  /** The page on which the invoice is paid without a login. Mails about failed payments link to it. */
  readonly paymentUrl: string | null;
  readonly createdAt: Timestamp;
  readonly finalizedAt: Timestamp | null;
  readonly paidAt: Timestamp | null;
}

/** The billing details of a customer: the recipient of its invoices. */
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

/** The cost of a plan change or of the next renewal. */
export interface CostPreview {
  readonly currency: string;
  /** The amount in the currency's minor unit. */
  readonly amountDue: number;
  readonly at: Timestamp;
  readonly lines: readonly InvoiceLine[];
}

/** An event with a verified signature. It has ids alone: the service reads the objects from the provider. */
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Timestamp;
  /** Null for an event about no subscription, and for an event of an unknown type. */
  readonly subscriptionId: string | null;
  /** The reference of the service's checkout; null for an event about no checkout. */
  readonly checkoutReference: string | null;
}

/** The time at which a plan change takes effect. */
export type ChangeTime = 'now' | 'period_end';

/** Every method throws `PaymentProviderError` when the provider cannot be reached or refuses. */
export interface PaymentProvider {
  readonly name: 'stripe' | 'sandbox';
  /**
   * Returns the time of the provider's clock, which its periods and due dates use. The sandbox's clock can be advanced.
   */
  now(): Promise<Timestamp>;

  /** Creates a checkout. Idempotent per reference: repeated calls return the same checkout. */
  createCheckout(checkout: NewCheckout): Promise<ProviderCheckout>;
  findCheckout(id: string): Promise<ProviderCheckout | undefined>;
  /** Expires an open checkout, so that nobody can pay it. Has no effect on a checkout that is over. */
  expireCheckout(id: string): Promise<void>;

  findSubscription(id: string): Promise<ProviderSubscription | undefined>;
  /** Returns the invoices of a subscription, the newest first, at most 100. */
  listInvoices(subscriptionId: string): Promise<readonly ProviderInvoice[]>;
  previewChange(subscriptionId: string, price: PlanPrice): Promise<CostPreview>;
  /** Returns the cost of the next renewal; undefined when the subscription will not renew. */
  previewRenewal(subscriptionId: string): Promise<CostPreview | undefined>;
  /**
   * Changes the plan. A change `now` creates a prorated invoice that is due at once; if it cannot be paid, the method
   * throws `declined` and changes nothing.
   */
  changePlan(subscriptionId: string, price: PlanPrice, when: ChangeTime, idempotencyKey: string): Promise<void>;
  cancelPendingChange(subscriptionId: string): Promise<void>;
  setCancelAtPeriodEnd(subscriptionId: string, cancels: boolean): Promise<void>;
  cancelNow(subscriptionId: string): Promise<void>;

  updateCustomer(customerId: string, details: CustomerDetails): Promise<void>;
  /** Creates a page of the provider on which the customer manages cards and pays open invoices. */
  createPortalSession(customerId: string, returnUrl: string): Promise<{ readonly url: string }>;
  /** Grants a credit, in minor units, that lowers future invoices. */
  addCredit(
    customerId: string,
    credit: { readonly amount: number; readonly currency: string; readonly reason: string },
    idempotencyKey: string,
  ): Promise<void>;
  voidInvoice(id: string): Promise<void>;
  markInvoiceUncollectible(id: string): Promise<void>;
  /** Retries the payment of an open invoice now. Throws `declined` when the payment fails. */
  retryInvoice(id: string): Promise<void>;

  /**
   * Returns the event of a webhook request; undefined when the request is unsigned, its signature over the raw body is
   * wrong, its timestamp differs from now by more than 300 s, or its body is not an event.
   */
  verifyEvent(
    rawBody: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): ProviderEvent | undefined;
}

/** An error of the payment provider. Only calls that fail as `unavailable` may be retried. */
export class PaymentProviderError extends Error {
  readonly reason: 'unavailable' | 'declined' | 'not_found' | 'refused';

  constructor(reason: PaymentProviderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PaymentProviderError';
    this.reason = reason;
  }
}

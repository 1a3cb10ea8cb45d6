import type {
  BillingInterval,
  CouponDuration,
  InvoiceStatus,
  SubscriptionStatus,
} from '../db/tables/platform/billing.ts';
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

/** A checkout to create at the provider. Its page asks for a coupon, the address and the VAT id. */
export interface NewCheckout {
  /** The service's own id of the checkout. The subscription carries it, and it makes repeated calls idempotent. */
  readonly reference: string;
  readonly customer: { readonly email: string; readonly name: string };
  readonly price: PlanPrice;
  /** The days of the free trial before the first payment; 0 for none. A trial needs no card. */
  readonly trialDays: number;
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

/** A coupon. Exactly one of `percentOff` and `amountOff` is set. Coupons are immutable. */
export interface Coupon {
  /** The code that customers enter, in upper case; unique. */
  readonly code: string;
  readonly name: string;
  /** In percent, above 0 and at most 100, with at most two decimal places. */
  readonly percentOff: number | null;
  /** In the minor unit of `currency`. */
  readonly amountOff: number | null;
  readonly currency: string | null;
  readonly duration: CouponDuration;
  /** The number of months of a `repeating` coupon; null for the others. */
  readonly durationMonths: number | null;
  readonly expiresAt: Timestamp | null;
  readonly maxRedemptions: number | null;
}

/** The discount of a subscription: a coupon that has been redeemed. */
export interface Discount extends Pick<Coupon, 'percentOff' | 'amountOff' | 'duration'> {
  readonly couponCode: string;
  /** The end of the discount; null if it applies once or forever. */
  readonly endsAt: Timestamp | null;
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
  /** Whether the provider can collect the next invoice. A trial without a payment method ends as `canceled`. */
  readonly hasPaymentMethod: boolean;
  /** The discount of future invoices, or null. */
  readonly discount: Discount | null;
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

/** The card that a customer pays with. */
export interface ProviderCard {
  /** The network in words, such as `Visa`. */
  readonly brand: string;
  readonly last4: string;
  /** Null if the provider does not report them. */
  readonly expMonth: number | null;
  readonly expYear: number | null;
}

/** Why a tax has its rate. `reverse_charge`: the customer, an EU business, owes the tax itself. */
export type TaxTreatment = 'standard' | 'reverse_charge' | 'not_collected';

/** The tax of an invoice at one rate. Amounts are in minor units. */
export interface TaxLine {
  /** The country that levies the tax, ISO 3166-1 alpha-2; null if the provider does not report it. */
  readonly country: string | null;
  /** In percent, with at most four decimal places. */
  readonly ratePercent: number;
  readonly treatment: TaxTreatment;
  /** The taxed amount. */
  readonly base: number;
  readonly amount: number;
}

/** A credit note: a refund of a paid invoice, in whole or in part. It is immutable. Amounts are in minor units. */
export interface ProviderCreditNote {
  readonly id: string;
  readonly invoiceId: string;
  /** The id of the refund at this service (`NewRefund.reference`); null when it was created at the provider. */
  readonly reference: string | null;
  /** The refunded amount, with tax. */
  readonly amount: number;
  /** The part of `amount` that is tax. */
  readonly tax: number;
  readonly reason: string | null;
  readonly createdAt: Timestamp;
}

/** An invoice as the provider has it. Amounts are in minor units. `subtotal - discount + tax = total`. */
export interface ProviderInvoice {
  readonly id: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly status: InvoiceStatus;
  readonly currency: string;
  /** `charge`: collected from the payment method; `send`: sent to the customer for payment. */
  readonly collectionMethod: 'charge' | 'send';
  /** The sum of the lines. */
  readonly subtotal: number;
  /** What the discount takes off the subtotal; 0 or more. */
  readonly discount: number;
  /** The coupon of the discount, which documents print; null if no coupon applies or the provider does not say. */
  readonly couponCode: string | null;
  readonly tax: number;
  /** The tax by rate. The sum of the amounts is `tax`. */
  readonly taxes: readonly TaxLine[];
  readonly total: number;
  /** The amount to pay after credits, in minor units. A payment does not lower it. */
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly lines: readonly InvoiceLine[];
  /** The credit notes, the oldest first. Their sum is at most `amountPaid`. */
  readonly creditNotes: readonly ProviderCreditNote[];
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
  /** The amount in the currency's minor unit, after discount, tax and credit. */
  readonly amountDue: number;
  /** What the discount takes off the sum of the lines; 0 or more. */
  readonly discount: number;
  readonly tax: number;
  readonly at: Timestamp;
  readonly lines: readonly InvoiceLine[];
}

/** A single invoice, outside any subscription. It starts as a draft. */
export interface NewInvoice {
  /** The service's own id of the invoice. It makes repeated calls idempotent. */
  readonly reference: string;
  readonly currency: string;
  /** `unitAmount` is in minor units; negative for a credit. */
  readonly lines: readonly { readonly description: string; readonly quantity: number; readonly unitAmount: number }[];
  /** The days from finalizing to the due date. */
  readonly dueInDays: number;
}

/** A refund of a paid invoice. */
export interface NewRefund {
  /** The service's own id of the refund. It makes repeated calls idempotent, also after days. */
  readonly reference: string;
  /** With tax, in minor units. */
  readonly amount: number;
  readonly reason: string;
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
  /** The invoice of an event about an invoice, a credit note or a refund; null for the others. */
  readonly invoiceId: string | null;
}

/** When a plan change takes effect. `now_unprorated` charges the new price from the next period on. */
export type ChangeTime = 'now' | 'now_unprorated' | 'period_end';

/** Every method throws `PaymentProviderError` when the provider cannot be reached or refuses. */
export interface PaymentProvider {
  readonly name: 'stripe' | 'sandbox';
  /** Whether customers change their billing details in the provider's billing portal, too, and not only at this service. */
  readonly billingPortalChangesDetails: boolean;
  /**
   * Returns the time of the provider's clock, which its periods and due dates use. The sandbox's clock can be advanced.
   */
  now(): Promise<Timestamp>;

  /** Creates a checkout. Idempotent per reference: repeated calls return the same checkout. */
  createCheckout(checkout: NewCheckout): Promise<ProviderCheckout>;
  findCheckout(id: string): Promise<ProviderCheckout | undefined>;
  /** Expires an open checkout: it can no longer be paid. Has no effect on a completed or expired checkout. */
  expireCheckout(id: string): Promise<void>;

  /** Creates the customer of a tenant that buys without a checkout. Idempotent per tenant. Returns its id. */
  createCustomer(tenantId: string, details: CustomerDetails): Promise<string>;
  /** Returns the billing details of a customer, as a checkout stored them, or undefined. */
  findCustomerDetails(customerId: string): Promise<CustomerDetails | undefined>;
  /** Returns the card that the provider charges for a customer, or undefined. */
  findCard(customerId: string): Promise<ProviderCard | undefined>;

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
  /** Moves the end of a running trial. Throws `refused` for a subscription that is not in its trial. */
  extendTrial(subscriptionId: string, trialEndsAt: Timestamp): Promise<void>;

  /** Creates a coupon, or does nothing when the provider has it. */
  createCoupon(coupon: Coupon): Promise<void>;
  /** Ends the redemption of a coupon. Discounts that exist stay. */
  deactivateCoupon(code: string): Promise<void>;
  /** Returns how often a coupon was redeemed; undefined for an unknown code. */
  countRedemptions(code: string): Promise<number | undefined>;
  /**
   * Redeems a coupon for a subscription, in place of its present discount. Throws `refused` for a coupon that is unknown,
   * inactive, expired, used up, or of another currency.
   */
  applyCoupon(subscriptionId: string, code: string, idempotencyKey: string): Promise<void>;

  updateCustomer(customerId: string, details: CustomerDetails): Promise<void>;
  /** Creates a page of the provider on which the customer manages cards and pays open invoices. */
  createBillingPortalSession(customerId: string, returnUrl: string): Promise<{ readonly url: string }>;
  /** Grants a credit, in minor units, that lowers future invoices. */
  addCredit(
    customerId: string,
    credit: { readonly amount: number; readonly currency: string; readonly reason: string },
    idempotencyKey: string,
  ): Promise<void>;
  /** Returns an invoice, single or of a subscription; undefined for an unknown id. */
  findInvoice(id: string): Promise<ProviderInvoice | undefined>;
  /** Creates the draft of a single invoice. */
  createInvoice(customerId: string, invoice: NewInvoice): Promise<ProviderInvoice>;
  /** Deletes the draft of a single invoice. Has no effect when it does not exist. */
  deleteDraft(id: string): Promise<void>;
  /** Finalizes a draft. Has no effect on an invoice that is final. The service sends the mails itself. */
  finalizeInvoice(id: string): Promise<void>;
  /**
   * Refunds a part of a paid invoice and returns its credit note. Throws `refused` when the refunds would exceed what was
   * paid.
   */
  refundInvoice(id: string, refund: NewRefund): Promise<ProviderCreditNote>;
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

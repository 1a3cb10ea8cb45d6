import type { Timestamp } from '../../../lib/clock.ts';

/** How often a subscription is paid. */
export type BillingInterval = 'month' | 'year';

/** The states of a subscription, as Stripe defines them. */
export type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled';

/** How long a coupon lowers the invoices of a subscription. */
export type CouponDuration = 'once' | 'repeating' | 'forever';

/** The states of an invoice, as Stripe defines them. */
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

/** The tables of the catalog, subscriptions and invoices, in the platform database. */
export interface BillingTables {
  catalog_products: CatalogProductsTable;
  plan_prices: PlanPricesTable;
  billing_customers: BillingCustomersTable;
  subscriptions: SubscriptionsTable;
  invoices: InvoicesTable;
  invoice_reads: InvoiceReadsTable;
  coupons: CouponsTable;
  refunds: RefundsTable;
  credit_notes: CreditNotesTable;
  credit_note_numbers: CreditNoteNumbersTable;
  invoice_numbers: InvoiceNumbersTable;
  billing_credits: BillingCreditsTable;
  billing_checkouts: BillingCheckoutsTable;
  subscription_reads: SubscriptionReadsTable;
  dunning_notices: DunningNoticesTable;
  trial_reminders: TrialRemindersTable;
  orphan_subscriptions: OrphanSubscriptionsTable;
}

/** A product that the platform sells. Plans belong to it. */
export interface CatalogProductsTable {
  id: string;
  code: string;
  name: string;
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** One price per plan, interval and currency. A plan without a price is free. */
export interface PlanPricesTable {
  id: string;
  plan_id: string;
  interval: BillingInterval;
  /** ISO 4217, in lower case. */
  currency: string;
  /** The amount in the currency's minor unit. */
  amount: number;
  /** The days of the free trial of a first subscription; 0: no trial. */
  trial_days: number;
  created_at: Timestamp;
}

/** A coupon that the platform offers. Only `archived_at` and the number of redemptions change. */
export interface CouponsTable {
  id: string;
  /** Unique, in upper case. Customers enter it. */
  code: string;
  name: string;
  /** Hundredths of a percent; null for a coupon with an amount. */
  percent_off_basis_points: number | null;
  /** In the minor unit of `currency`; null for a coupon with a percentage. */
  amount_off: number | null;
  currency: string | null;
  duration: CouponDuration;
  duration_months: number | null;
  expires_at: Timestamp | null;
  max_redemptions: number | null;
  /** As the provider reported it last. */
  redemptions: number;
  archived_at: Timestamp | null;
  /** When it was last read at the provider; null until the provider has it. */
  synced_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The customer at the payment provider that represents a tenant. */
export interface BillingCustomersTable {
  tenant_id: string;
  provider: 'stripe' | 'sandbox';
  provider_customer_id: string;
  /** The recipient of invoices as JSON of `CustomerDetails`; null until it is entered. */
  details_json: string | null;
  /** When the service began to bill the tenant. Earlier payments are history, for which no receipt is owed. */
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A copy of a subscription at the provider. A tenant has at most one that has not ended. */
export interface SubscriptionsTable {
  id: string;
  tenant_id: string;
  provider: 'stripe' | 'sandbox';
  provider_subscription_id: string;
  status: SubscriptionStatus;
  plan_code: string;
  interval: BillingInterval;
  currency: string;
  amount: number;
  current_period_starts_at: Timestamp;
  current_period_ends_at: Timestamp;
  trial_ends_at: Timestamp | null;
  /** Whether the provider can collect the next invoice. */
  has_payment_method: 0 | 1;
  /** The discount of future invoices; all five are null without a discount. */
  coupon_code: string | null;
  /** Hundredths of a percent. */
  discount_basis_points: number | null;
  /** In minor units. */
  discount_amount: number | null;
  discount_duration: CouponDuration | null;
  /** Null for a discount that applies once or forever. */
  discount_ends_at: Timestamp | null;
  cancel_at_period_end: 0 | 1;
  canceled_at: Timestamp | null;
  pending_plan_code: string | null;
  pending_interval: BillingInterval | null;
  pending_amount: number | null;
  pending_at: Timestamp | null;
  /** When the overdue payment first failed, by the provider's clock; null while no payment is overdue. */
  past_due_since: Timestamp | null;
  /** The end of the grace period, until which the tenant is served although a payment is overdue. */
  grace_ends_at: Timestamp | null;
  /** When it ended, by the provider's clock. `canceled_at` may be much earlier. */
  ended_at: Timestamp | null;
  /** When it must be read again at the latest, by the provider's clock; null once it has ended. */
  next_check_at: Timestamp | null;
  /** When it was last read, by the service's clock. */
  synced_at: Timestamp | null;
  /** The number of attempted plan changes, so that each attempt has its own idempotency key; null means 0. */
  change_number: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A copy of an invoice at the provider. After it is finalized only its state and the paid amount change. */
export interface InvoicesTable {
  id: string;
  tenant_id: string;
  subscription_id: string | null;
  provider: 'stripe' | 'sandbox';
  provider_invoice_id: string;
  /** Assigned when it is finalized: 1, 2, 3 … per tenant without gaps; null for a draft. */
  number: number | null;
  status: InvoiceStatus;
  currency: string;
  /** `charge`: collected from the payment method; `send`: sent to the customer, who pays it. */
  collection_method: 'charge' | 'send';
  subtotal: number;
  /** What the discount takes off the subtotal. */
  discount: number;
  /** The coupon of the discount; null without a discount or if the provider does not name the coupon. */
  coupon_code: string | null;
  tax: number;
  /** JSON of `TaxLine[]`. */
  taxes_json: string;
  total: number;
  amount_due: number;
  amount_paid: number;
  /** The sum of the credit notes. */
  amount_refunded: number;
  lines_json: string;
  /** The recipient at the time when it was finalized, as JSON of `CustomerDetails`; else null. */
  customer_json: string | null;
  /** The seller in the configuration when it was finalized, as JSON of `Seller`, which has no tax id in older rows; else null. */
  seller_json: string | null;
  payment_url: string | null;
  attempt_count: number;
  next_attempt_at: Timestamp | null;
  due_at: Timestamp | null;
  finalized_at: Timestamp | null;
  paid_at: Timestamp | null;
  /** When an admin last had it mailed to the customer. */
  sent_at: Timestamp | null;
  /** When an admin last had the customer reminded. */
  reminded_at: Timestamp | null;
  /** When the receipt of its payment was queued; it is queued once. */
  receipted_at: Timestamp | null;
  /** When a single invoice was last read from the provider; null for an invoice of a subscription. */
  synced_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/**
 * The numbers of the reads of a single invoice, as `subscription_reads` has them for subscriptions: an older reading
 * never replaces a newer one.
 */
export interface InvoiceReadsTable {
  provider_invoice_id: string;
  last_begun: number;
  last_written: number;
}

/**
 * A refund that an admin requested. It is written before the provider is called, and reserves its amount, so concurrent
 * refunds never exceed what was paid.
 */
export interface RefundsTable {
  /** The refund's reference at the provider. */
  id: string;
  invoice_id: string;
  amount: number;
  reason: string;
  /** `pending` until the provider's answer is stored; a job completes those that a crash left. */
  status: 'pending' | 'succeeded' | 'failed';
  /** Why the provider refused it. */
  failure: string | null;
  admin_id: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A credit note of an invoice, with its own number. It is immutable. */
export interface CreditNotesTable {
  id: string;
  tenant_id: string;
  invoice_id: string;
  /** Null for a refund that was made at the provider. */
  refund_id: string | null;
  provider: 'stripe' | 'sandbox';
  provider_credit_note_id: string;
  /** 1, 2, 3 … per tenant without gaps. */
  number: number;
  amount: number;
  tax: number;
  reason: string | null;
  created_at: Timestamp;
}

/** The last number of a tenant's credit notes. */
export interface CreditNoteNumbersTable {
  tenant_id: string;
  last_number: number;
}

/** The last invoice number of a tenant. */
export interface InvoiceNumbersTable {
  tenant_id: string;
  last_number: number;
}

/** A credit that an admin granted to a tenant. */
export interface BillingCreditsTable {
  id: string;
  tenant_id: string;
  amount: number;
  currency: string;
  reason: string;
  admin_id: string;
  /** A reference that the caller chose, unique per tenant. */
  reference: string | null;
  /** When the provider accepted it; null while that is unknown. */
  applied_at: Timestamp | null;
  created_at: Timestamp;
}

/** A checkout by which a tenant buys its subscription. Each tenant has at most one open checkout. */
export interface BillingCheckoutsTable {
  /** The checkout's reference at the provider. */
  id: string;
  tenant_id: string;
  /** Null until the provider has created the checkout. */
  provider_checkout_id: string | null;
  status: 'open' | 'complete' | 'expired';
  plan_code: string;
  interval: BillingInterval;
  currency: string;
  amount: number;
  /** The days of the free trial; 0: no trial. */
  trial_days: number;
  user_id: string;
  created_at: Timestamp;
}

/**
 * Numbers the reads of a subscription at the provider, so that the result of an older read never replaces a newer one.
 */
export interface SubscriptionReadsTable {
  provider_subscription_id: string;
  last_begun: number;
  last_written: number;
}

/** A notice about an overdue payment that was sent. Each stage is sent once per overdue payment. */
export interface DunningNoticesTable {
  subscription_id: string;
  past_due_since: Timestamp;
  stage: string;
  created_at: Timestamp;
}

/** A reminder that a trial ends, which was sent. Each end of a trial is reminded of once. */
export interface TrialRemindersTable {
  subscription_id: string;
  trial_ends_at: Timestamp;
  created_at: Timestamp;
}

/** A subscription at the provider that belongs to no tenant here. It has no effect. */
export interface OrphanSubscriptionsTable {
  id: string;
  provider: 'stripe' | 'sandbox';
  provider_subscription_id: string;
  provider_customer_id: string;
  reference: string | null;
  status: SubscriptionStatus;
  plan_code: string;
  reason: 'no_tenant' | 'unknown_plan';
  created_at: Timestamp;
  updated_at: Timestamp;
}

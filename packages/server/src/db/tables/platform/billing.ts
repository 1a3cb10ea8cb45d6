import type { Timestamp } from '../../../lib/clock.ts';

// What is sold and what was bought, in the platform database.

export type BillingInterval = 'month' | 'year';

export type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled';

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

export interface BillingTables {
  catalog_products: CatalogProductsTable;
  plan_prices: PlanPricesTable;
  billing_customers: BillingCustomersTable;
  subscriptions: SubscriptionsTable;
  invoices: InvoicesTable;
  invoice_numbers: InvoiceNumbersTable;
  billing_credits: BillingCreditsTable;
  billing_checkouts: BillingCheckoutsTable;
  subscription_reads: SubscriptionReadsTable;
  dunning_notices: DunningNoticesTable;
  orphan_subscriptions: OrphanSubscriptionsTable;
}

/** What plans are of: what the platform sells. */
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
  /** In the currency's minor unit. */
  amount: number;
  created_at: Timestamp;
}

/** A tenant as the payment provider knows it. */
export interface BillingCustomersTable {
  tenant_id: string;
  provider: 'stripe' | 'sandbox';
  provider_customer_id: string;
  /** Who invoices are made out to: null until somebody says it. JSON of `CustomerDetails`. */
  details_json: string | null;
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
  cancel_at_period_end: 0 | 1;
  canceled_at: Timestamp | null;
  pending_plan_code: string | null;
  pending_interval: BillingInterval | null;
  pending_amount: number | null;
  pending_at: Timestamp | null;
  /** When the payment that is missing failed first, by the provider's clock; null while nothing is overdue. */
  past_due_since: Timestamp | null;
  /** Until then the tenant is served although a payment is missing. */
  grace_ends_at: Timestamp | null;
  /** When it was seen to have ended, by the provider's clock. `canceled_at` may be long before. */
  ended_at: Timestamp | null;
  /** When it is to be read again at the latest, by the provider's clock; null once it has ended. */
  next_check_at: Timestamp | null;
  /** When it was read last, by the service's clock. */
  synced_at: Timestamp | null;
  /** Counts changes of plan and attempts at them, so that each has an idempotency key of its own; null is 0. */
  change_number: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A copy of an invoice at the provider. Once finalized only its state and what was paid of it change. */
export interface InvoicesTable {
  id: string;
  tenant_id: string;
  subscription_id: string | null;
  provider: 'stripe' | 'sandbox';
  provider_invoice_id: string;
  /** Given when it is finalized: 1, 2, 3 … of each tenant, without gaps; null for a draft. */
  number: number | null;
  status: InvoiceStatus;
  currency: string;
  subtotal: number;
  tax: number;
  total: number;
  amount_due: number;
  amount_paid: number;
  lines_json: string;
  /** Who it is made out to, as it was when it was finalized. JSON of `CustomerDetails`, or null. */
  customer_json: string | null;
  /** Who sold it, as the configuration said when it was finalized. JSON of `{name, address}`, or null. */
  seller_json: string | null;
  payment_url: string | null;
  attempt_count: number;
  next_attempt_at: Timestamp | null;
  due_at: Timestamp | null;
  finalized_at: Timestamp | null;
  paid_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The last number that an invoice of a tenant got. */
export interface InvoiceNumbersTable {
  tenant_id: string;
  last_number: number;
}

/** What an admin gave a tenant. */
export interface BillingCreditsTable {
  id: string;
  tenant_id: string;
  amount: number;
  currency: string;
  reason: string;
  admin_id: string;
  /** The caller's own name of it, unique per tenant. */
  reference: string | null;
  /** When the provider took it; null while that is not known. */
  applied_at: Timestamp | null;
  created_at: Timestamp;
}

/** A tenant without a subscription on its way to one. At most one per tenant is open. */
export interface BillingCheckoutsTable {
  /** The checkout's reference at the provider. */
  id: string;
  tenant_id: string;
  /** Null until the provider has made it. */
  provider_checkout_id: string | null;
  status: 'open' | 'complete' | 'expired';
  plan_code: string;
  interval: BillingInterval;
  currency: string;
  amount: number;
  user_id: string;
  created_at: Timestamp;
}

/** Numbers the reads of a subscription at the provider, so that an older one never replaces a newer. */
export interface SubscriptionReadsTable {
  provider_subscription_id: string;
  last_begun: number;
  last_written: number;
}

/** What was told of a missing payment: each stage once for each time that a payment fails. */
export interface DunningNoticesTable {
  subscription_id: string;
  past_due_since: Timestamp;
  stage: string;
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

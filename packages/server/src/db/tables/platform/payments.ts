import type { Timestamp } from '../../../lib/clock.ts';
import type { BillingInterval } from './billing.ts';

/** Events of payment providers, and the state of the sandbox. All nodes share them in the platform database. */
export interface PaymentTables {
  payment_events: PaymentEventsTable;
  sandbox_clock: SandboxClockTable;
  sandbox_checkouts: SandboxCheckoutsTable;
  sandbox_accounts: SandboxAccountsTable;
  sandbox_invoices: SandboxInvoicesTable;
  sandbox_events: SandboxEventsTable;
  sandbox_requests: SandboxRequestsTable;
  sandbox_coupons: SandboxCouponsTable;
}

/**
 * An event of a payment provider with a verified signature. It stores only ids; the objects are read from the provider.
 */
export interface PaymentEventsTable {
  id: string;
  provider: 'stripe' | 'sandbox';
  provider_event_id: string;
  type: string;
  provider_subscription_id: string | null;
  /** The reference of this service's checkout. */
  checkout_reference: string | null;
  provider_invoice_id: string | null;
  /** The time of the event, by the provider's clock. */
  created_at: Timestamp;
  received_at: Timestamp;
  replayed_at: Timestamp | null;
}

/** One row (`id` = 1): the offset by which the sandbox's clock is ahead. */
export interface SandboxClockTable {
  id: number;
  offset_ms: number;
}

/** A checkout of the sandbox. */
export interface SandboxCheckoutsTable {
  id: string;
  /** This service's own reference for the checkout. */
  reference: string;
  status: 'open' | 'complete' | 'expired';
  terms_json: string;
  customer_id: string | null;
  subscription_id: string | null;
  created_at: Timestamp;
  /** When it expires, by the sandbox's clock; null once it is completed or expired. */
  due_at: Timestamp | null;
}

/** A customer and its only subscription, which are locked and written together. */
export interface SandboxAccountsTable {
  customer_id: string;
  /** The customer's id for a customer without a subscription. */
  subscription_id: string;
  state_json: string;
  /** When the next automatic change is due, by the sandbox's clock. */
  due_at: Timestamp | null;
}

/** An invoice of the sandbox. */
export interface SandboxInvoicesTable {
  id: string;
  customer_id: string;
  /** The customer's id for a single invoice. */
  subscription_id: string;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  state_json: string;
  /** Increases with every invoice of the installation, so that they sort by creation. */
  position: string;
}

/** An event of the sandbox that is sent to this service's own webhook. */
export interface SandboxEventsTable {
  id: string;
  body: string;
  attempts: number;
  created_at: Timestamp;
  /** When it is sent next, by the service's clock; null once it was accepted or given up. */
  due_at: Timestamp | null;
}

/** The idempotency keys of requests that took effect, so that repeating them changes nothing. */
export interface SandboxRequestsTable {
  key: string;
  created_at: Timestamp;
}

/** A coupon of the sandbox. */
export interface SandboxCouponsTable {
  code: string;
  /** JSON of `Coupon`. */
  coupon_json: string;
  is_active: 0 | 1;
  redemptions: number;
  max_redemptions: number | null;
  expires_at: Timestamp | null;
  created_at: Timestamp;
}

/** The tables of the onboarding, in the platform database. */
export interface OnboardingTables {
  onboarding_checkouts: OnboardingCheckoutsTable;
}

/** A user's purchase of a plan, and the progress of creating the tenant for it. */
export interface OnboardingCheckoutsTable {
  id: string;
  user_id: string;
  /** The plan and its price at the start of the checkout. Later changes of the plan do not affect the checkout. */
  plan_code: string;
  plan_name: string;
  /** Null, like the currency, for a free plan. */
  interval: BillingInterval | null;
  currency: string | null;
  amount: number;
  /** The days of the free trial; 0: no trial. */
  trial_days: number;
  tenant_name: string;
  status: 'pending' | 'paid' | 'provisioning' | 'completed' | 'failed' | 'expired' | 'canceled';
  /** Null for a free plan. */
  provider: 'stripe' | 'sandbox' | null;
  provider_checkout_id: string | null;
  checkout_url: string | null;
  provider_customer_id: string | null;
  provider_subscription_id: string | null;
  /** The tenant's id, chosen when the checkout begins. The tenant exists once the step `tenant` is done. */
  tenant_id: string;
  /** The placement of the tenant's database, stored before the database is created, as JSON of `Placement`; or null. */
  placement_json: string | null;
  /** The completion time of each step, by its name. */
  steps_json: string;
  /** The message that the user sees if the purchase failed. */
  error: string | null;
  /** The time after which the checkout can no longer be paid. */
  expires_at: Timestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The logs of the platform's administration. */
export interface AdministrationTables {
  billing_authorization_log: BillingAuthorizationsTable;
}

/** A decision of the billing guard: every refusal, and every write that it allowed. */
export interface BillingAuthorizationsTable {
  id: string;
  occurred_at: Timestamp;
  admin_id: string;
  /** The admin's role at that time. */
  role: string;
  method: string;
  /** The path of the request, without its query. */
  path: string;
  allowed: 0 | 1;
  request_id: string;
  ip: string;
}

import type { Timestamp } from '../../../lib/clock.ts';
import type { BillingInterval } from './billing.ts';

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
  /** The days of the free trial; 0 for none. */
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

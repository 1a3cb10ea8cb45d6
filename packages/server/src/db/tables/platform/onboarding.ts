import type { Timestamp } from '../../../lib/clock.ts';
import type { BillingInterval } from './billing.ts';

export interface OnboardingTables {
  onboarding_checkouts: OnboardingCheckoutsTable;
}

/** What a user is buying or has bought, and how far the tenant for it has come. */
export interface OnboardingCheckoutsTable {
  id: string;
  user_id: string;
  /** As it was when the checkout began: what is paid is what holds. */
  plan_code: string;
  plan_name: string;
  /** Null, like the currency, for a plan that costs nothing. */
  interval: BillingInterval | null;
  currency: string | null;
  amount: number;
  tenant_name: string;
  status: 'pending' | 'paid' | 'provisioning' | 'completed' | 'failed' | 'expired' | 'canceled';
  /** Null for a plan that costs nothing. */
  provider: 'stripe' | 'sandbox' | null;
  provider_checkout_id: string | null;
  checkout_url: string | null;
  provider_customer_id: string | null;
  provider_subscription_id: string | null;
  /** Decided when the checkout begins; there is such a tenant once the step of that name is done. */
  tenant_id: string;
  /** Where the tenant's database is or will be, written down before it is made. JSON of `Placement`, or null. */
  placement_json: string | null;
  /** When each step was done, by its name. */
  steps_json: string;
  /** What the user is told when it does not go on. */
  error: string | null;
  /** After this nobody can pay it any more. */
  expires_at: Timestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

import type { Timestamp } from '../../../lib/clock.ts';
import type { Flag } from '../shared-tables.ts';

/** A policy: the terms of the licenses that are issued under it. */
export interface PoliciesTable {
  id: string;
  product_id: string;
  /** Unique within the product. */
  code: string;
  name: string;
  /** At most one of the two durations is set. */
  duration_days: number | null;
  /** Months of the calendar in the tenant's timezone. */
  duration_months: number | null;
  /** Whether licenses expire only at the end of the month of their expiry. */
  ends_with_month: Flag;
  expiry_basis: 'creation' | 'first_validation' | 'first_activation';
  expiry_strategy: 'deny' | 'allow';
  grace_days: number;
  renewal_basis: 'from_expiry' | 'from_now' | 'from_expiry_or_now';
  maintenance_days: number | null;
  max_activations: number | null;
  /** The percentage by which activations may exceed the limit. Null: unlimited. */
  activation_overage_percent: number | null;
  require_activation: Flag;
  /** Which device is the same one when its fingerprint is not activated. */
  fingerprint_matching: 'exact' | 'most' | 'any';
  /** Whether a trial without a key works only when its address is confirmed. */
  trial_requires_email: Flag;
  lease_seconds: number | null;
  max_deactivations: number | null;
  offline_ttl_seconds_max: number;
  key_prefix: string | null;
  /** Whether the holder may replace the key of a license in the portal. */
  holder_may_replace_key: Flag;
  entitlements_json: string;
  metadata_json: string;
  /** Since when no licenses are issued under the policy; null: they are. */
  archived_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A product of a tenant, for which licenses are issued. */
export interface ProductsTable {
  id: string;
  code: string;
  name: string;
  description: string | null;
  platforms_json: string;
  /** Where a license is renewed; `{license_id}` stands for the id of the license. */
  renewal_url: string | null;
  /** The policy of trials without a key; null: the product offers none. */
  trial_policy_id: string | null;
  /** Where the files of releases are, with a sealed key; null: the addresses of the files are public. */
  download_storage_json: string | null;
  metadata_json: string;
  /** Since when no licenses of the product are issued; null: they are. */
  archived_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** An entitlement, which policies and licenses grant by its code. */
export interface EntitlementsTable {
  id: string;
  code: string;
  name: string;
  type: 'boolean' | 'value' | 'metered';
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** States that a policy, or a license that is not deleted, grants an entitlement. */
export interface EntitlementReferencesTable {
  /** The id of the policy or the license. */
  owner_id: string;
  entitlement_id: string;
}

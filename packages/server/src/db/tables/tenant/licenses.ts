import type { Timestamp } from '../../../lib/clock.ts';

/** A license. */
export interface LicensesTable {
  id: string;
  product_id: string;
  policy_id: string;
  /** Unique among licenses that are not deleted. */
  key: string;
  /** `pending` and `expired` are derived from time, never stored. */
  status: 'active' | 'suspended' | 'revoked';
  /** Why the status is what it is, for people; null if nobody said why. */
  status_reason: string | null;
  /** The batch that the license was issued in; null: alone. */
  batch_id: string | null;
  holder_name: string | null;
  holder_email: string | null;
  holder_reference: string | null;
  starts_at: Timestamp;
  expires_at: Timestamp | null;
  maintenance_expires_at: Timestamp | null;
  /** When the term began; a term in months keeps its day and time of day. Null: with the start, or it has not begun. */
  term_anchor: Timestamp | null;
  /** Overrides the policy's value; null: the policy's value applies. */
  max_activations: number | null;
  /** Unique among licenses that are not deleted. */
  order_number: string | null;
  entitlements_json: string;
  deactivations_count: number;
  last_validated_at: Timestamp | null;
  metadata_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  /** The `expires_at` for which the license was counted as expiring; null before. */
  expiring_noted_for: Timestamp | null;
  /** The `expires_at` for which `license.expired` was published; null before. */
  expired_noted_for: Timestamp | null;
}

/** The activation of a license on a device, which occupies a seat until it is released. */
export interface ActivationsTable {
  id: string;
  license_id: string;
  /** Unique per license among activations that are not released. */
  fingerprint: string;
  name: string | null;
  hostname: string | null;
  platform: string | null;
  ip: string | null;
  /** The hardware by which a device is the same one with another fingerprint; null: it never sent any. */
  components_json: string | null;
  last_heartbeat_at: Timestamp;
  /** Null when the policy has no lease. */
  lease_expires_at: Timestamp | null;
  metadata_json: string;
  created_at: Timestamp;
  /** When it was deactivated or released after its lease expired; null while it occupies a seat. */
  released_at: Timestamp | null;
  release_reason: 'deactivated' | 'lease_expired' | 'license_deleted' | null;
}

/** The periods over which usage is totalled. `none`: never reset. */
export type UsageInterval = 'hour' | 'day' | 'week' | 'month' | 'year' | 'none';

/** A license's use of an entitlement in one period. Every event is added to one row of each interval. */
export interface UsageTotalsTable {
  license_id: string;
  interval: UsageInterval;
  /** The name of the period in the tenant's timezone; sorts by time (features/licensing/usage/period.ts). */
  period: string;
  entitlement_code: string;
  quantity: number;
}

/** The key of a counted event, so that it is not counted again. Its quantity is in the totals. */
export interface UsageEventsTable {
  license_id: string;
  idempotency_key: string;
  recorded_at: Timestamp;
}

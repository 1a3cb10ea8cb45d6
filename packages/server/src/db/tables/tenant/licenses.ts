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
  holder_name: string | null;
  holder_email: string | null;
  holder_reference: string | null;
  starts_at: Timestamp;
  expires_at: Timestamp | null;
  maintenance_expires_at: Timestamp | null;
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

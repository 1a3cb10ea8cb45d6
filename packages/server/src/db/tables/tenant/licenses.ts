import type { Timestamp } from '../../../lib/clock.ts';

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
  /** Overrides the policy's; null: the policy's holds. */
  max_activations: number | null;
  entitlements_json: string;
  deactivations_count: number;
  last_validated_at: Timestamp | null;
  metadata_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  /** The `expires_at` for which the license was counted as expiring; null until then. */
  expiring_noted_for: Timestamp | null;
  /** The `expires_at` of which `license.expired` told; null until then. */
  expired_noted_for: Timestamp | null;
}

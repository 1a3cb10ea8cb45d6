import type { Timestamp } from '../../../lib/clock.ts';

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

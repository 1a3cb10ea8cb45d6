import type { Timestamp } from '../../../lib/clock.ts';

/** Something that policies and licenses grant by its code. */
export interface EntitlementsTable {
  id: string;
  code: string;
  name: string;
  type: 'boolean' | 'value' | 'metered';
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A policy or a license that is not deleted, and an entitlement that stands in its list. */
export interface EntitlementReferencesTable {
  /** Of the policy or the license. */
  owner_id: string;
  entitlement_id: string;
}

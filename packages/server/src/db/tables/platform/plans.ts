import type { Timestamp } from '../../../lib/clock.ts';

/** A plan, which limits a tenant's resources. */
export interface PlansTable {
  id: string;
  code: string;
  name: string;
  limits_json: string;
  features_json: string;
  /** The product to which the plan belongs; null for a plan without a product. */
  catalog_product_id: string | null;
  /** Since when the plan is no longer offered; null while it is. Tenants that have the plan keep it. */
  archived_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

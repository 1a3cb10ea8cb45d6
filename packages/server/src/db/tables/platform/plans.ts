import type { Timestamp } from '../../../lib/clock.ts';

export interface PlansTable {
  id: string;
  code: string;
  name: string;
  limits_json: string;
  features_json: string;
  /** What it is a plan of; null for one that stands alone. */
  catalog_product_id: string | null;
  /** No longer offered since then; who has it keeps it. */
  archived_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

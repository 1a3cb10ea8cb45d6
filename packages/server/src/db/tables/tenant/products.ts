import type { Timestamp } from '../../../lib/clock.ts';

/** A product of a tenant, for which licenses are issued. */
export interface ProductsTable {
  id: string;
  code: string;
  name: string;
  description: string | null;
  platforms_json: string;
  metadata_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

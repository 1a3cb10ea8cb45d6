import type { Timestamp } from '../../../lib/clock.ts';

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

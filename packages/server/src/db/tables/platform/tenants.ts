import type { Timestamp } from '../../../lib/clock.ts';

export interface TenantsTable {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  /** `payment`: suspended because one is missing, and restored by it; null: by an operator, or not suspended. */
  suspended_for: 'payment' | null;
  plan_code: string;
  /** Overrides of the plan's limits. */
  limits_json: string;
  /** `embedded`, or `host:port` of the PostgreSQL server that holds the tenant's database. */
  placement: string;
  /** Database and role name on PostgreSQL; embedded the name of the file, null where it is the id. */
  database_name: string | null;
  /** Password of the tenant's role, encrypted under the application key; null when embedded. */
  database_secret: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  closed_at: Timestamp | null;
  /** The move that is under way, or died; 32 hexadecimal digits. */
  move_id: string | null;
  /** Until then nothing is written to the tenant's database, because it is moved: put off for as long as that lasts. */
  writes_paused_until: Timestamp | null;
}

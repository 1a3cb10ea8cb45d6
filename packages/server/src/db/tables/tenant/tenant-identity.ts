import type { Timestamp } from '../../../lib/clock.ts';

/** One row: the id of the tenant that owns this database. It is checked every time the database is opened. */
export interface TenantIdentityTable {
  tenant_id: string;
  created_at: Timestamp;
}

import type { Timestamp } from '../../../lib/clock.ts';

/** One row: whose database this is. Checked every time it is opened. */
export interface TenantIdentityTable {
  tenant_id: string;
  created_at: Timestamp;
}

import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Audit records of changes to platform rows that belong in a tenant's log. They are written with the change, copied to
 * the tenant's database after the commit, and then deleted. A sweep copies the rows that a crash left behind.
 */
export interface AuditOutboxTable {
  /** The audit record's id, which makes the copy idempotent. */
  id: string;
  tenant_id: string;
  record_json: string;
  created_at: Timestamp;
}

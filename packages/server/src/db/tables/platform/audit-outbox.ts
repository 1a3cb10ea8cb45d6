import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Audit records of changes to platform rows that belong in a tenant's log. Written with the change,
 * copied to the tenant's database after commit, then deleted; a sweep completes what a crash left.
 */
export interface AuditOutboxTable {
  /** The audit record's id, which makes the copy idempotent. */
  id: string;
  tenant_id: string;
  record_json: string;
  created_at: Timestamp;
}

import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Background work of one kind about one subject. For a tenant, the row only indicates that its database may contain due
 * work.
 */
export interface JobsTable {
  /** The id of a tenant, or of another row that the platform's work of this kind is about. */
  subject_id: string;
  kind: string;
  /**
   * `waiting` until `due_at`; `running` under a lease; `parked` because the tenant was not active when it was due;
   * `dead` after too many failures, until an operator retries it.
   */
  status: 'waiting' | 'running' | 'parked' | 'dead';
  /** When a worker may claim it; for a running job the end of its lease. Null: not before the next wake-up. */
  due_at: Timestamp | null;
  /** The earliest due time scheduled while it runs, because the run may have checked for work before that. */
  wake_at: Timestamp | null;
  /** The id of the claim, so that a worker that lost its lease can no longer finish the job. */
  lease_owner: string | null;
  /** The number of runs since the last successful one, including the current run. */
  attempts: number;
  last_error: string | null;
  updated_at: Timestamp;
}

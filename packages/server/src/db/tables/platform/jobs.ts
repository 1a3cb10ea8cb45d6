import type { Timestamp } from '../../../lib/clock.ts';

/** Work of one kind about one subject. Of a tenant it is a hint of what stands in the tenant's database. */
export interface JobsTable {
  /** A tenant's id, or that of what the platform's work of this kind is about. */
  subject_id: string;
  kind: string;
  /**
   * `waiting` until `due_at`; `running` under a lease; `parked` because the tenant was not active when it was due;
   * `dead` after too many failures, until somebody retries it.
   */
  status: 'waiting' | 'running' | 'parked' | 'dead';
  /** When it may be taken: of a running one, when its lease ends. Null: not before something says so. */
  due_at: Timestamp | null;
  /** The earliest moment that was hinted at while it runs: the run may have looked before. */
  wake_at: Timestamp | null;
  /** Names one taking of the row, so that whoever lost it can no longer finish it. */
  lease_owner: string | null;
  /** Runs since the last that succeeded, the one in progress included. */
  attempts: number;
  last_error: string | null;
  updated_at: Timestamp;
}

import type { Timestamp } from '../../../lib/clock.ts';
import type { IdempotencyKeysTable } from '../tenant/administration.ts';

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

/**
 * A mail in the queue. Address and text are encrypted under the application key, because links in them contain tokens.
 */
export interface MailsTable {
  id: string;
  sealed_message: string;
  attempts: number;
  next_attempt_at: Timestamp;
  last_error: string | null;
  created_at: Timestamp;
  /** The time after which the mail is useless, for example because its link has expired; null: never. */
  useful_until: Timestamp | null;
}

/** A mail that the server rejected permanently. It is kept for some time, so that an operator can send it again. */
export interface DeadMailsTable extends Omit<MailsTable, 'next_attempt_at' | 'last_error'> {
  last_error: string;
  died_at: Timestamp;
}

/** How many mails of a kind were sent to an address, or by a tenant or user, in a window. */
export interface MailCountsTable {
  /** The kind, the length of the window and who is limited, as HMAC-SHA256 under the application key, hex. */
  key_hash: string;
  hits: number;
  ends_at: Timestamp;
}

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

/** The number and time of the last notification mail that a tenant received. */
export interface NotificationDigestsTable {
  tenant_id: string;
  last_number: number;
  mailed_at: Timestamp;
}

/**
 * The request of a user or an admin with an `Idempotency-Key` that creates a resource outside of tenants. Unique per
 * person, route and key.
 */
export interface UserIdempotencyKeysTable extends IdempotencyKeysTable {
  /** The id of the user or of the admin. */
  user_id: string;
  /** The id of the resource, which an attempt that continues an abandoned one keeps. */
  resource_id: string;
}

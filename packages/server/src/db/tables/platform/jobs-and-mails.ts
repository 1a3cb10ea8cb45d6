import type { Timestamp } from '../../../lib/clock.ts';

// Rows that wait for background work.

/** In the platform database. */
export interface PlatformWaitingTables {
  audit_outbox: AuditOutboxTable;
  mails: MailsTable;
  dead_mails: DeadMailsTable;
  jobs: JobsTable;
  notification_digests: NotificationDigestsTable;
}

/** In a tenant's database. */
export interface TenantWaitingTables {
  notification_mails: NotificationMailsTable;
  notification_mail_numbers: NotificationMailNumbersTable;
}

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

/** Mail that waits to be sent. Addresses and text are encrypted under the application key: they hold links with tokens. */
export interface MailsTable {
  id: string;
  sealed_message: string;
  attempts: number;
  next_attempt_at: Timestamp;
  last_error: string | null;
  created_at: Timestamp;
  /** When it stops to be of use, such as when its link ends; null: it stays worth sending. */
  useful_until: Timestamp | null;
}

/** Mail that a server refused for good. It is kept for a while, so that an operator can send it again. */
export interface DeadMailsTable extends Omit<MailsTable, 'next_attempt_at' | 'last_error'> {
  last_error: string;
  died_at: Timestamp;
}

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

/** The last mail of its notifications that a tenant got. */
export interface NotificationDigestsTable {
  tenant_id: string;
  last_number: number;
  mailed_at: Timestamp;
}

/** In a tenant's database: a notification that is still to be mailed. */
export interface NotificationMailsTable {
  notification_id: string;
  /** 1: it does not wait for the next digest. */
  is_urgent: 0 | 1;
  /** The mail that tells of it; null until one is begun. */
  mail_number: number | null;
}

/** In a tenant's database, one row (`id` = 1): the number of the mail that was begun last. */
export interface NotificationMailNumbersTable {
  id: number;
  last_number: number;
}

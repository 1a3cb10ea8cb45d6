import type { Timestamp } from '../../../lib/clock.ts';

/** A notification for the members of a tenant. */
export interface NotificationsTable {
  id: string;
  type: string;
  severity: 'info' | 'warning' | 'critical';
  title: string;
  body: string;
  /** A unique name of the occurrence, so that it is reported only once; null if it may be reported again. */
  occurrence: string | null;
  /** The type of the resource that it is about, as in audit records; null without a resource. */
  resource_type: string | null;
  /** Null also if there are several. */
  resource_id: string | null;
  read_at: Timestamp | null;
  created_at: Timestamp;
}

/** A notification that still has to be mailed. */
export interface NotificationMailsTable {
  notification_id: string;
  /** 1: it is mailed immediately instead of with the next digest. */
  is_urgent: 0 | 1;
  /** The number of the mail that reports it; null until that mail is started. */
  mail_number: number | null;
}

/** One row (`id` = 1): the number of the last mail that was started. */
export interface NotificationMailNumbersTable {
  id: number;
  last_number: number;
}

/** One row (`id` = 1): the licenses counted as expiring that no notification has reported yet. */
export interface ExpiringDigestTable {
  id: number;
  license_count: number;
  /** Texts about the first few of them. */
  examples_json: string;
}

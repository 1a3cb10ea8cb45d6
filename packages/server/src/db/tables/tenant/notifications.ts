import type { Timestamp } from '../../../lib/clock.ts';

export interface NotificationsTable {
  id: string;
  type: string;
  severity: 'info' | 'warning' | 'critical';
  title: string;
  body: string;
  /** Names what happened, so that it is told once; null when it may be told again. */
  occurrence: string | null;
  read_at: Timestamp | null;
  created_at: Timestamp;
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

import type { Timestamp } from '../../../lib/clock.ts';

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

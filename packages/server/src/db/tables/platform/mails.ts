import type { Timestamp } from '../../../lib/clock.ts';

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

/** What became of an attempt to send a mail. */
export type MailResult = 'sent' | 'failed' | 'dead' | 'expired';

/** Where the queue tells what it did. */
export interface MailMetrics {
  countMail(result: MailResult): void;
}

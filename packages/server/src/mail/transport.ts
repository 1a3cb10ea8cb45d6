import type { Timestamp } from '../lib/clock.ts';
import type { AttachedFile, MailAttachment } from './attachments.ts';

/** A mail as features create it, always as text and as HTML because some mail programs show only text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** When the mail expires, for example because its link does. A mail without this time does not expire. */
  readonly usefulUntil?: Timestamp;
  /** Additional headers of the message. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly MailAttachment[];
}

/** A mail in the form that the transport accepts. */
export interface OutgoingMail extends Omit<Mail, 'usefulUntil' | 'attachments'> {
  /** The same on every attempt, so that receivers can recognise a duplicate. */
  readonly id: string;
  readonly from: string;
  readonly date: Date;
  readonly attachments?: readonly AttachedFile[];
}

/** Sends mail. */
export interface MailTransport {
  /** Maximum mails that it sends at the same time. */
  readonly concurrency: number;
  /**
   * Sends one mail. Throws `MailRefusedError` if the server will never accept this mail, and
   * `MailServerUnavailableError` if it accepts no mail at the moment.
   */
  send(mail: OutgoingMail): Promise<void>;
  /** Closes the connections. */
  close(): void;
}

/** The server refused this mail permanently, for example because of its recipient (RFC 5321, 4.2.1: a 5yz reply). */
export class MailRefusedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailRefusedError';
  }
}

/** The server is unreachable or refuses the login; other mails would fail too. */
export class MailServerUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailServerUnavailableError';
  }
}

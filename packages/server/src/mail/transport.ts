import type { Timestamp } from '../lib/clock.ts';

/** A mail as a feature writes it. Always in both forms: some readers show only text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** When it stops to be of use to who gets it, such as when its link ends; absent: it stays worth sending. */
  readonly usefulUntil?: Timestamp;
  /** Further headers of the message. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A mail on its way out. */
export interface OutgoingMail extends Omit<Mail, 'usefulUntil'> {
  /** The same on every attempt, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly from: string;
  readonly date: Date;
}

/** Hands mail over for delivery. */
export interface MailTransport {
  /** How many mails it takes at the same time. */
  readonly places: number;
  /** Throws `MailRefusedError` when this mail will never be taken, and `MailServerAwayError` when none is taken now. */
  send(mail: OutgoingMail): Promise<void>;
  /** Ends its connections. */
  close(): void;
}

/** The server refused this mail for good (RFC 5321, 4.2.1: a 5yz reply), such as for its recipient. */
export class MailRefusedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailRefusedError';
  }
}

/** The server cannot be reached or lets nobody in: it is pointless to try with other mails. */
export class MailServerAwayError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailServerAwayError';
  }
}

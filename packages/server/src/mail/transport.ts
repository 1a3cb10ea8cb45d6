import type { SendMailOptions } from 'nodemailer';
import type { Timestamp } from '../lib/clock.ts';

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

/** A document that a mail carries. It is stored as a reference and rendered when the mail is sent. */
export interface MailAttachment {
  readonly document: 'invoice' | 'credit_note';
  readonly id: string;
}

/** A file of a mail. */
export interface AttachedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Renders an attachment; undefined when its document no longer exists. */
export type RenderAttachment = (attachment: MailAttachment) => Promise<AttachedFile | undefined>;

/**
 * Marks a mail as sent by a program (RFC 3834, section 5), so that no program answers it: an answer would only reach
 * the sender's mailbox. A mail that a person wrote says otherwise in its own headers.
 */
const automatic = { 'Auto-Submitted': 'auto-generated' } as const;

/** Converts a mail to nodemailer's options. */
export function composeOptions({ id, headers, attachments = [], ...mail }: OutgoingMail): SendMailOptions {
  const fromDomain = /@([^\s<>@]+)>?$/.exec(mail.from)?.[1] ?? 'localhost';
  return {
    ...mail,
    // An object, not a string: nodemailer must not parse the address as a list or as a name with an address.
    to: { name: '', address: mail.to },
    messageId: `<${id}@${fromDomain}>`,
    headers: Object.entries({ ...automatic, ...headers }).map(([key, value]) => ({ key, value })),
    attachments: [...attachments],
    // All content is text or rendered already. Nothing in a mail may make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

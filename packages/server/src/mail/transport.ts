import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import type { Config } from '../config/config.ts';
import type { SmtpServer } from '../config/server-urls.ts';
import type { Timestamp } from '../lib/clock.ts';
import { makeFolder } from '../lib/make-folder.ts';

/** A mail as features create it, always as text and as HTML because some mail programs show only text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The tenant that causes the mail. Its purge deletes the mail. */
  readonly tenantId?: string | null;
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
  readonly from: string | { readonly name: string; readonly address: string };
  /** Where answers go, if not to the sender. */
  readonly replyTo?: string;
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
  /** The name by which the HTML of the mail refers to it as `cid:<name>`; absent if it does not. */
  readonly cid?: string;
}

/** Renders an attachment; undefined when its document no longer exists. */
export type RenderAttachment = (attachment: MailAttachment) => Promise<AttachedFile | undefined>;

/**
 * Marks a mail as sent by a program (RFC 3834, section 5), so that no program answers it: an answer would only reach
 * the sender's mailbox. A mail that a person wrote says otherwise in its own headers.
 */
const automatic = { 'Auto-Submitted': 'auto-generated' } as const;

/** Converts a mail to nodemailer's options. */
function composeOptions({
  id,
  headers,
  attachments = [],
  tenantId: _tenantId,
  replyTo,
  ...mail
}: OutgoingMail): SendMailOptions {
  const from = typeof mail.from === 'string' ? mail.from : mail.from.address;
  const fromDomain = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    ...mail,
    // An object, not a string: nodemailer must not parse the address as a list or as a name with an address.
    to: { name: '', address: mail.to },
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    messageId: `<${id}@${fromDomain}>`,
    headers: Object.entries({ ...automatic, ...headers }).map(([key, value]) => ({ key, value })),
    attachments: [...attachments],
    // All content is text or rendered already. Nothing in a mail may make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Returns the directory that receives mail when no SMTP server is configured. */
export function mailDirectory({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'mail');
}

/** Returns the name of a mail's file. It contains the id of the tenant that causes the mail. */
function mailFile({ id, tenantId }: Pick<OutgoingMail, 'id' | 'tenantId'>): string {
  return tenantId ? `${id}.${tenantId}.eml` : `${id}.eml`;
}

/** Returns true if a file of `mailDirectory` contains a mail that the tenant caused. */
export function isMailFileOf(tenantId: string, file: string): boolean {
  return file.endsWith(`.${tenantId}.eml`);
}

/**
 * Creates a transport that writes each mail to a file in `DATA_DIR/mail`, which any mail program can open. The file
 * contains the links of the mail, so only the user of the process may read it. File names sort by time. A rename makes
 * each file appear complete.
 */
export function createFileTransport(config: Pick<Config, 'dataDir'>): MailTransport {
  const directory = mailDirectory(config);
  return {
    concurrency: 4,
    async send(mail) {
      const { createTransport } = await import('nodemailer');
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await composer.sendMail(composeOptions(mail));
      makeFolder(directory);
      const draft = join(directory, `.${mail.id}.draft`);
      await writeFile(draft, message, { mode: 0o600 });
      await rename(draft, join(directory, mailFile(mail)));
    },
    close: () => undefined,
  };
}

/** Maximum connections to the server; they are kept open and reused. */
const maxConnections = 5;

/**
 * Timeouts in milliseconds. The claim on a mail is renewed during an attempt, so they need not be shorter than a lease.
 */
const timeouts = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

/** Error codes that nodemailer reports before it has offered the mail to the server. */
const unavailableCodes = [
  'ECONNECTION',
  'ETIMEDOUT',
  'ESOCKET',
  'EDNS',
  'ETLS',
  'EAUTH',
  'ENOAUTH',
  'ECONNREFUSED',
  'EPROXY',
];

/**
 * Creates a transport that sends mail to an SMTP server. `tls.ca` is an additional trusted certificate (PEM),
 * `tls.servername` the name that the certificate must have if `host` is an address.
 */
export function createSmtpTransport(
  server: SmtpServer,
  tls: { readonly ca?: string; readonly servername?: string } = {},
): MailTransport {
  const { host, port, credentials } = server;
  let pool: ReturnType<typeof openPool> | undefined;
  async function openPool() {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      pool: true,
      maxConnections,
      host,
      port,
      secure: server.tls === 'implicit',
      requireTLS: server.tls === 'starttls',
      ignoreTLS: server.tls === 'none',
      ...timeouts,
      ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
      tls: { minVersion: 'TLSv1.2', ...tls },
    });
  }
  return {
    concurrency: maxConnections,
    async send(mail) {
      try {
        pool ??= openPool();
        await (await pool).sendMail(composeOptions(mail));
      } catch (error) {
        throw explain(error);
      }
    },
    close() {
      void pool?.then((opened) => opened.close());
    },
  };
}

interface SmtpFailure {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
}

/**
 * Converts a failure to the error that `MailTransport.send` throws. Only a 5yz reply about the recipient or the content
 * refuses this mail; a reply about the sender or the login concerns the configuration.
 */
function explain(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, command, responseCode } = error as SmtpFailure;
  const message = withoutAddresses(error.message);
  const isFinal = typeof responseCode === 'number' && responseCode >= 500;
  const isAboutMail = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE';
  if (isFinal && isAboutMail) return new MailRefusedError(message, { cause: error });
  // Without a reply: nodemailer itself found no valid recipient.
  if (code === 'EENVELOPE' && responseCode === undefined) return new MailRefusedError(message, { cause: error });
  if (typeof code === 'string' && unavailableCodes.includes(code))
    return new MailServerUnavailableError(message, { cause: error });
  return new Error(message, { cause: error });
}

/** Removes addresses, which servers often repeat in replies and which must not be logged. */
function withoutAddresses(text: string): string {
  const words = text.slice(0, 2_000).split(/([\s<>:;,()]+)/);
  return words
    .map((word) => (word.includes('@') ? '…' : word))
    .join('')
    .slice(0, 500);
}

import type { SmtpServer } from '../config/server-urls.ts';
import { composeOptions, MailRefusedError, MailServerUnavailableError, type MailTransport } from './transport.ts';

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

/** Creates a transport that sends mail to an SMTP server. `tls.ca` is an additional trusted certificate (PEM). */
export function createSmtpTransport(server: SmtpServer, tls: { readonly ca?: string } = {}): MailTransport {
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
  return text.replace(/[^\s<>:;,()]+@[^\s<>:;,()]+/g, '…').slice(0, 500);
}

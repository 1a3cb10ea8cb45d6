import { createTransport } from 'nodemailer';
import type { SmtpServer } from '../config/smtp-url.ts';
import { composeOptions } from './compose.ts';
import { MailRefusedError, MailServerAwayError, type MailTransport } from './transport.ts';

/** Connections that are kept for the next mails. */
const maxConnections = 5;

/** How long a server may stay silent; a mail under an attempt stays claimed however long the attempt takes. */
const timeouts = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

/** Failures that nodemailer reports before the server heard of the mail. */
const awayCodes = ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ETLS', 'EAUTH', 'ENOAUTH', 'ECONNREFUSED', 'EPROXY'];

/** Hands mail to a server over kept connections. */
export function createSmtpTransport(server: SmtpServer, tls: { readonly ca?: string } = {}): MailTransport {
  const { host, port, credentials } = server;
  const pool = createTransport({
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
  return {
    places: maxConnections,
    async send(mail) {
      try {
        await pool.sendMail(composeOptions(mail));
      } catch (error) {
        throw explain(error);
      }
    },
    close: () => pool.close(),
  };
}

interface SmtpFailure {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
}

/** Only a 5yz reply about the recipient or the content is about this mail; one to the sender or a login is about us. */
function explain(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, command, responseCode } = error as SmtpFailure;
  const message = withoutAddresses(error.message);
  const isFinal = typeof responseCode === 'number' && responseCode >= 500;
  const isAboutMail = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE';
  if (isFinal && isAboutMail) return new MailRefusedError(message, { cause: error });
  // No reply at all: nodemailer itself found nobody to send to.
  if (code === 'EENVELOPE' && responseCode === undefined) return new MailRefusedError(message, { cause: error });
  if (typeof code === 'string' && awayCodes.includes(code)) return new MailServerAwayError(message, { cause: error });
  return new Error(message, { cause: error });
}

/** Servers like to repeat the address, which belongs into no log. */
function withoutAddresses(text: string): string {
  return text.replace(/[^\s<>:;,()]+@[^\s<>:;,()]+/g, '…').slice(0, 500);
}

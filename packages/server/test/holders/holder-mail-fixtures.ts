import { afterAll, beforeAll } from 'vitest';
import { holderMailJob } from '../../src/features/holders/holder-mails/mail-job.ts';
import type { Timestamp } from '../../src/lib/clock.ts';
import type { TestTenant } from '../support/accounts.ts';
import { freePort } from '../support/free-port.ts';
import type { TestApp } from '../support/harness.ts';
import { type ReceivedMail, type SmtpBehaviour, startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

/** A mail server on loopback, whose behaviour a test can change. */
export interface MailServer {
  /** The settings of a service that sends through it. */
  readonly env: () => Promise<Record<string, string>>;
  readonly port: () => number;
  readonly received: () => readonly ReceivedMail[];
  /** Answers later recipients and messages; `{}` accepts all. */
  behave(behaviour: SmtpBehaviour): void;
}

/** Starts one mail server for the suite file. */
export function useMailServer(): MailServer {
  let server: TestSmtpServer | undefined;
  let behaviour: SmtpBehaviour = {};
  let port: number | undefined;
  const portOf = async () => (port ??= await freePort());
  beforeAll(async () => {
    server = await startSmtpServer(
      {},
      {
        onRecipient: (address) => behaviour.onRecipient?.(address),
        onMessage: (message) => behaviour.onMessage?.(message),
      },
      await portOf(),
    );
  });
  afterAll(async () => await server?.stop());
  return {
    env: async () => ({
      SMTP_URL: `smtp://127.0.0.1:${await portOf()}`,
      MAIL_FROM: 'Licensing <licensing@example.com>',
    }),
    port: () => port ?? 0,
    received: () => server?.received ?? [],
    behave: (changed) => {
      behaviour = changed;
    },
  };
}

/** Sends the due mails of a tenant once. Returns when the next one is due, or null. */
export function sendHolderMails(app: TestApp, { id: tenantId }: Pick<TestTenant, 'id'>): Promise<Timestamp | null> {
  const run = { tenantId, signal: new AbortController().signal, reportProgress: () => undefined };
  return holderMailJob(app.services).runUnopened(run);
}

/** Returns the headers, the plain text and the HTML of a message. */
export function readMessage({ message }: ReceivedMail) {
  const [head = ''] = message.split('\r\n\r\n');
  const headers = head.replace(/\r\n[ \t]+/g, ' ');
  const part = (type: string) => {
    const [, start = ''] = message.split(`Content-Type: ${type}`);
    const [partHead = '', ...rest] = start.split('\r\n\r\n');
    const body = rest.join('\r\n\r\n').split('\r\n--')[0] ?? '';
    if (partHead.includes('base64')) return Buffer.from(body, 'base64').toString();
    const bytes = body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number(`0x${hex}`)));
    return (partHead.includes('quoted-printable') ? Buffer.from(bytes, 'latin1').toString() : body).replaceAll(
      '\r\n',
      '\n',
    );
  };
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1];
  return { header, text: part('text/plain'), html: part('text/html') };
}

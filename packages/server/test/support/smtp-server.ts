import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { selfSigned } from './self-signed.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The whole message, headers first. */
  readonly message: string;
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
}

/** A real mail server on loopback. */
export interface TestSmtpServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** Returns the number of connections that were opened. */
  readonly connections: () => number;
  stop(): Promise<void>;
}

/** The reply code for a recipient or a message; undefined accepts it. */
export interface SmtpBehaviour {
  readonly onRecipient?: (address: string) => number | undefined;
  readonly onMessage?: (message: string) => number | undefined | Promise<number | undefined>;
}

function refusal(code: number): Error {
  return Object.assign(new Error('no'), { responseCode: code });
}

/** Starts a server with a self-signed certificate, on a free port unless one is given. */
export async function startSmtpServer(
  options: SMTPServerOptions = {},
  { onRecipient, onMessage }: SmtpBehaviour = {},
  port = 0,
): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    ...selfSigned,
    authOptional: true,
    disableReverseLookup: true,
    // Milliseconds that a stopping server waits for its clients to disconnect.
    closeTimeout: 50,
    onConnect(_session, done) {
      connections += 1;
      done();
    },
    onRcptTo({ address }, _session, done) {
      const code = onRecipient?.(address);
      done(code === undefined ? null : Object.assign(refusal(code), { message: `<${address}> is not here` }));
    },
    onData(stream, session, done) {
      const receive = async () => {
        const message = await text(stream);
        const code = await onMessage?.(message);
        if (code !== undefined) throw refusal(code);
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          message,
          user: session.user as string | undefined,
          isEncrypted: session.secure,
        });
      };
      receive().then(() => done(), done);
    },
    ...options,
  });
  // A client that does not trust the certificate closes the connection; some tests expect that.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

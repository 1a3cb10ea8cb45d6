import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestApp } from './harness.ts';

/** A response as received over the socket. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the port that a service listens on. */
export function portOf(app: TestApp): number {
  const address = app.http.server.address();
  if (address === null || typeof address === 'string') throw new Error('The service does not listen on a port.');
  return address.port;
}

/** Opens a connection to a service that listens. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  // The service may close the connection while the rest of a refused request is still being sent.
  socket.on('error', () => socket.destroy());
  return socket;
}

/** Reads responses until the other side closes the connection. */
export async function readAnswers(socket: Socket): Promise<RawAnswer[]> {
  const received = await text(socket).catch(() => '');
  return received.split(/(?=HTTP\/1\.1 \d{3} )/).map(parseAnswer);
}

function parseAnswer(received: string): RawAnswer {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(':');
    return [name.toLowerCase(), value.join(':').trim()] as const;
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  };
}

/** Sends raw bytes and reads until the service closes the connection. */
export async function exchange(app: TestApp, bytes: string | Buffer): Promise<RawAnswer[]> {
  const socket = await openSocket(portOf(app));
  const answers = readAnswers(socket);
  socket.write(bytes);
  return answers;
}

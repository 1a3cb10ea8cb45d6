import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { useBareServers } from '../../test/support/bare-servers.ts';
import { AppError } from '../lib/error.ts';

const servers = useBareServers();
const mebibyte = 'x'.repeat(1024 * 1024);

async function start() {
  const app = servers.create();
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.url === '/refused' ? new AppError('AUTH.INVALID_TOKEN', 'Log in.') : undefined);
  });
  for (const path of ['/echo', '/refused']) app.post(path, { bodyLimit: 16 * 1024 }, () => ({}));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

interface Sent {
  readonly path?: string;
  readonly headers: string;
  readonly type?: string;
  readonly mebibytes?: number;
  readonly isChunked?: boolean;
}

/** Sends a whole request before it reads, as many clients do. Fails if the service resets the connection. */
async function sendThenRead({ path = '/echo', headers, type = 'application/json', mebibytes = 8, isChunked }: Sent) {
  const socket = servers.connectTo(await start());
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${mebibytes * mebibyte.length}`;
  const failed = once(socket, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${headers}${length}\r\n\r\n`);
  for (let part = 0; part < mebibytes; part += 1) {
    if (isChunked) socket.write(`${mebibyte.length.toString(16)}\r\n`);
    const written = new Promise((resolve) => socket.write(mebibyte, resolve));
    await Promise.race([written, failed]);
    if (isChunked) socket.write('\r\n');
  }
  socket.end(isChunked ? '0\r\n\r\n' : '');
  return Promise.race([text(socket), failed]);
}

test.each([
  { title: 'above the limit', headers: '', status: 413 },
  { title: 'above the limit, in chunks', headers: '', isChunked: true, status: 413 },
  { title: 'of an unknown media type', headers: '', type: 'text/plain', status: 415 },
  { title: 'above the limit and ends its connection', headers: 'Connection: close\r\n', status: 413 },
  { title: 'without access and ends its connection', headers: 'Connection: close\r\n', path: '/refused', status: 401 },
])('a client that sends a whole body $title before it reads receives the response', async ({ status, ...sent }) => {
  expect(await sendThenRead(sent)).toMatch(new RegExp(`^HTTP/1.1 ${status} .*request_id`, 's'));
});

test('a client reads the response while it still sends', async () => {
  const socket = servers.connectTo(await start());
  socket.write(
    `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${2 ** 23}\r\n\r\n`,
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 413 /);
});

test('a body far above the limit is read only up to a bound', async () => {
  await expect(sendThenRead({ headers: '', mebibytes: 64 })).rejects.toThrow(/ECONNRESET|EPIPE/);
});

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useBareServers } from '../../test/support/bare-servers.ts';
import type { CallerLimits } from './server.ts';

const servers = useBareServers();
beforeEach(() => {
  // The clock of the limit on stalled bodies; Node's own limits use other timers.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts a server and connects to it. */
async function start(callerLimits: Partial<CallerLimits> = {}) {
  const app = servers.create(callerLimits);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url === '/refused') reply.code(401).send({});
    else done();
  });
  app.post('/echo', (request) => ({ body: request.body }));
  app.post('/refused', () => ({}));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { ...(await open(app)), more: () => open(app) };
}

async function open(app: FastifyInstance) {
  const accepted = once(app.server, 'connection');
  const socket = servers.connectTo(app);
  const [serverSide] = (await accepted) as [Socket];
  let sentBytes = 0;
  /** Sends bytes and waits until the server has received them. */
  const send = async (bytes: string) => {
    socket.write(bytes);
    sentBytes += bytes.length;
    await vi.waitFor(() => expect(serverSide.bytesRead).toBe(sentBytes), { timeout: 10_000, interval: 5 });
  };
  return { socket, send, received: text(socket) };
}

const head = (path: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\nContent-Type: application/json\r\n${more}` +
  `Content-Length: ${length}\r\n\r\n`;
const statuses = (received: string) => received.match(/HTTP\/1\.1 \d+/g);

describe('a body that stops arriving', () => {
  it.each([
    ['before its first byte', ''],
    ['in its middle', '{"a":'],
  ])('a body that stalls %s for 30 s gets 408 with the request id and a closed connection', async (_title, body) => {
    const { send, received } = await start();
    await send(head('/echo', 100) + body);
    vi.advanceTimersByTime(35_000);
    const [headers = '', answer = ''] = (await received).split('\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1.1 408 /);
    expect(headers.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(answer)).toMatchObject({ error: { code: 'REQUEST.TIMEOUT' }, meta: { request_id: 'mine' } });
  });

  it('a chunked body that stalls gets 408', async () => {
    const { send, received } = await start();
    await send(head('/echo', 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked').concat('1\r\n{\r\n'));
    vi.advanceTimersByTime(35_000);
    expect(await received).toMatch(/^HTTP\/1.1 408 /);
  });

  it('a body that pauses for less than 30 s at a time is accepted, however long it takes in total', async () => {
    const { send, received } = await start();
    const body = '{"a":"steady"}';
    await send(head('/echo', body.length, 'Connection: close\r\n'));
    for (const byte of body) {
      vi.advanceTimersByTime(25_000);
      await send(byte);
    }
    expect(await received).toMatch(/^HTTP\/1.1 200 .*steady/s);
  });

  it('of many bodies from one address that arrive slowly, only the newest 20 are awaited', async () => {
    const { send, received, more } = await start();
    await send(`${head('/echo', 100)}{"a":`);
    const others = [];
    for (let count = 0; count < 20; count += 1) others.push(await more());
    for (const other of others) await other.send(`${head('/echo', 14, 'Connection: close\r\n')}{"a":`);
    vi.advanceTimersByTime(10_000);
    expect(await received).toMatch(/^HTTP\/1.1 408 .*from this address/s);
    for (const other of others) await other.send('"steady"}');
    for (const other of others) expect(await other.received).toMatch(/^HTTP\/1.1 200 /);
  });

  it('the connection of a refused request whose body stalls is closed without a second response', async () => {
    const { send, received } = await start();
    await send(head('/refused', 100));
    vi.advanceTimersByTime(35_000);
    expect(statuses(await received)).toEqual(['HTTP/1.1 401']);
  });

  it('a connection that waits between two requests is not limited as a stalled body', async () => {
    const { socket, send, received } = await start();
    await send(`${head('/echo', 2)}{}`);
    vi.advanceTimersByTime(600_000);
    socket.end(`${head('/echo', 2)}{}`);
    expect(statuses(await received)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });
});

it.each([
  ['no byte at all', ''],
  ['a part of the headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-'],
])('a connection that sends %s gets 408 and is closed', async (_title, bytes) => {
  const { socket, received } = await start({ headersMs: 50, requestMs: 100, checkMs: 20 });
  socket.write(bytes);
  expect(await received).toMatch(/^HTTP\/1.1 408 .*REQUEST\.TIMEOUT/s);
});

it('a connection that stays idle after a request is closed', async () => {
  const { send, received } = await start({ keepAliveMs: 1 });
  await send(`${head('/echo', 2)}{}`);
  expect(statuses(await received)).toEqual(['HTTP/1.1 200']);
});

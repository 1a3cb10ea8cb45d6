import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createAddressPolicy } from '../endpoints/address-policy.ts';
import type { Resolve } from './resolver.ts';
import { selfSigned } from './self-signed.fixture.ts';
import { createWebhookSender, type WebhookSender } from './sender.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface SenderSetup {
  readonly allowed?: readonly string[];
  readonly allowHttp?: boolean;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

function makeSender(setup: SenderSetup = {}): WebhookSender {
  const { allowed = ['127.0.0.0/8'], allowHttp = true, timeoutMs = 10_000, resolve } = setup;
  const sender = createWebhookSender({
    addresses: createAddressPolicy(allowed),
    allowHttp,
    userAgent: 'Licensing-Webhooks/test',
    nowMs: () => Date.UTC(2026, 10, 20, 12),
    timeoutMs,
    ...(resolve && { resolve }),
  });
  closers.push(() => sender.close());
  return sender;
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A server that does what it likes with each connection once the request begins to arrive. */
async function rawServer(onRequest: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => socket.once('data', () => onRequest(socket)));
  return `http://127.0.0.1:${await listen(server)}/hook`;
}

async function httpServer(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createHttpServer(listener))}/hook`;
}

const message = (url: string) => ({ url, headers: { 'webhook-id': 'event-1' }, body: '{"id":"event-1"}' });

describe('an answer', () => {
  test('of 2xx succeeds, and its body is kept', async () => {
    const seen: unknown[] = [];
    const url = await httpServer((request, response) => {
      const {
        'webhook-id': id,
        'content-type': type,
        'user-agent': agent,
        'accept-encoding': encoding,
      } = request.headers;
      seen.push([request.method, request.url, id, type, agent, encoding]);
      response.writeHead(202).end('queued');
    });
    const result = await makeSender().send(message(url));
    expect(result).toMatchObject({ responseStatus: 202, responseBody: 'queued', error: null, retryAfterMs: null });
    const expected = ['POST', '/hook', 'event-1', 'application/json', 'Licensing-Webhooks/test', undefined];
    expect(seen).toEqual([expected]);
  });

  test.each([301, 302, 307, 308, 400, 404, 410, 429, 500, 503, 999])(
    'of %i fails, and is not followed',
    async (status) => {
      let requests = 0;
      const url = await httpServer((_request, response) => {
        requests += 1;
        response.writeHead(status, { location: '/elsewhere' }).end();
      });
      const result = await makeSender().send(message(url));
      expect(result).toMatchObject({ responseStatus: status, responseBody: null, error: `status_${status}` });
      expect(requests).toBe(1);
    },
  );

  test.each([
    ['120', 120_000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', null],
    ['soon', null],
    ['-5', null],
  ])('with Retry-After: %s asks to wait %s ms', async (value, expected) => {
    const url = await httpServer((_request, response) => response.writeHead(503, { 'retry-after': value }).end());
    expect((await makeSender().send(message(url))).retryAfterMs).toBe(expected);
  });

  test('of gigabytes is read up to 16 KiB, and then the connection is dropped', async () => {
    const dropped = Promise.withResolvers<void>();
    let written = 0;
    const url = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-length': String(8 * 1024 ** 3) });
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const write = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', write);
      response.on('close', dropped.resolve);
      write();
    });
    const result = await makeSender().send(message(url));
    await dropped.promise;
    expect(result).toMatchObject({ responseStatus: 200, error: null });
    expect(result.responseBody).toHaveLength(16 * 1024);
    expect(written).toBeLessThan(256 * 1024 ** 2);
  });

  test('that is no UTF-8, or holds NUL, becomes text that every database stores, of at most 16 KiB', async () => {
    const url = await httpServer((_request, response) => response.end(Buffer.alloc(16 * 1024, '\u0000')));
    const other = await httpServer((_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x41])));
    const { responseBody } = await makeSender().send(message(url));
    expect(responseBody).not.toContain('\u0000');
    expect(Buffer.byteLength(responseBody ?? '')).toBeLessThanOrEqual(16 * 1024);
    expect((await makeSender().send(message(other))).responseBody).toBe('\ufffd\ufffdA');
  });

  test('that is compressed is not unpacked', async () => {
    const url = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all');
    });
    expect(await makeSender().send(message(url))).toMatchObject({ responseBody: 'not gzip at all', error: null });
  });
});

describe('an endpoint', () => {
  const hostile: [string, (socket: Socket) => void, string][] = [
    ['talks garbage', (socket) => socket.end('\u0001\u0002garbage\r\n\r\n'), 'response_malformed'],
    ['talks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), 'response_malformed'],
    [
      'sends two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
      'response_malformed',
    ],
    [
      'sends a bad chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
      'response_malformed',
    ],
    [
      'sends endless headers',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(10_000)}`),
      'response_malformed',
    ],
    ['hangs up before it answers', (socket) => socket.destroy(), 'connection_reset'],
    ['hangs up within its headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A'), 'connection_reset'],
    [
      'hangs up within its body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab'),
      'connection_reset',
    ],
    [
      'switches protocols',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'status_101',
    ],
  ];

  test.each(hostile)('that %s is a failure with a name', async (_what, behave, error) => {
    expect((await makeSender().send(message(await rawServer(behave)))).error).toBe(error);
  });

  const slow: [string, (socket: Socket) => void, number | null][] = [
    ['says nothing', () => undefined, null],
    ['says half a header', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-Half'), null],
    ['never ends its body', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na'), 200],
    ['sends a byte at a time', (socket) => trickle(socket), 200],
    ['only ever continues', (socket) => trickle(socket, 'HTTP/1.1 100 Continue\r\n\r\n', ''), null],
  ];

  /** Each byte would reset a timeout that watches for silence. */
  function trickle(socket: Socket, byte = 'a', head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'): void {
    socket.write(head);
    const timer = setInterval(() => socket.write(byte), 5);
    socket.on('close', () => clearInterval(timer));
  }

  test.each(slow)('that %s is left when the time is over', async (_what, behave, responseStatus) => {
    const left = Promise.withResolvers<void>();
    const url = await rawServer((socket) => {
      socket.on('close', () => left.resolve());
      behave(socket);
    });
    const result = await makeSender({ timeoutMs: 150 }).send(message(url));
    expect(result).toMatchObject({ error: 'timeout', responseStatus });
    await left.promise;
  });

  test('whose name is never resolved is left when the time is over', async () => {
    const sender = makeSender({ timeoutMs: 50, resolve: () => new Promise(() => undefined) });
    expect((await sender.send(message('http://hooks.example.com/'))).error).toBe('timeout');
  });

  test('whose name does not exist, and one where nobody listens, are failures with a name', async () => {
    const unknown = makeSender({ resolve: () => Promise.reject(new Error('NXDOMAIN')) });
    expect((await unknown.send(message('http://hooks.example.com/'))).error).toBe('dns_failed');
    const port = await listen(createTcpServer());
    await closers.pop()?.();
    expect((await makeSender().send(message(`http://127.0.0.1:${port}/`))).error).toBe('connection_refused');
  });

  test('with a certificate that nobody vouches for, or without TLS at all, gets no event', async () => {
    let requests = 0;
    const server = createHttpsServer({ ...selfSigned }, (_request, response) => {
      requests += 1;
      response.end();
    });
    const port = await listen(server);
    const sender = makeSender({ resolve: async () => ['127.0.0.1'] });
    expect((await sender.send(message(`https://localhost:${port}/`))).error).toBe('tls_invalid');
    const plain = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await sender.send(message(plain.replace('http:', 'https:')))).error).toBe('tls_invalid');
    expect(requests).toBe(0);
  });

  test('to which nothing more is sent loses its connection, after two looks', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    closers.push(() => vi.useRealTimers());
    const closed = Promise.withResolvers<void>();
    let connections = 0;
    const server = createHttpServer((_request, response) => response.end());
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => {
      connections += 1;
      socket.on('close', () => closed.resolve());
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const sender = makeSender();
    expect((await sender.send(message(url))).error).toBeNull();
    vi.advanceTimersByTime(10_000);
    expect((await sender.send(message(url))).error).toBeNull();
    vi.advanceTimersByTime(10_000);
    expect(connections).toBe(1);
    vi.advanceTimersByTime(10_000);
    await closed.promise;
  });

  test('with a certificate that is vouched for gets its events, over one connection', async () => {
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, selfSigned.cert]);
    closers.push(() => setDefaultCACertificates(trusted));
    let connections = 0;
    const server = createHttpsServer({ ...selfSigned }, (_request, response) => response.end('ok'));
    server.on('secureConnection', () => {
      connections += 1;
    });
    const port = await listen(server);
    const sender = makeSender();
    const url = `https://localhost:${port}/`;
    expect(await sender.send(message(url))).toMatchObject({ error: null, responseBody: 'ok' });
    expect((await sender.send(message(url))).error).toBeNull();
    expect(connections).toBe(1);
    // The same certificate vouches for no other name.
    const byOtherName = makeSender({ resolve: async () => ['127.0.0.1'] });
    expect((await byOtherName.send(message(`https://other.example.com:${port}/`))).error).toBe('tls_invalid');
  });

  test('that closes kept connections gets the next request over a new one', async () => {
    let connections = 0;
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    const server = createTcpServer((socket) => {
      connections += 1;
      const own = connections;
      let requests = 0;
      socket.on('data', (chunk) => {
        // Headers and body may arrive apart; the body ends the request.
        if (!chunk.toString().endsWith('}')) return;
        requests += 1;
        if (own === 1 && requests === 2) socket.destroy();
        else socket.write(answer);
      });
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const sender = makeSender();
    expect((await sender.send(message(url))).error).toBeNull();
    expect((await sender.send(message(url))).error).toBeNull();
    expect(connections).toBe(2);
  });
});

describe('an address', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://api.localhost/',
  ])('that is not public is refused without a connection: %s', async (url) => {
    const sender = makeSender({ allowed: [] });
    expect(await sender.send(message(url))).toMatchObject({ error: 'address_not_allowed', responseStatus: null });
  });

  test.each([
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::1']],
    [['fe80::1%eth0']],
    [['::ffff:10.0.0.1']],
    [['64:ff9b::a00:1']],
    [['8.8.8.8', '127.0.0.1']],
    [['2606:4700::1111', 'fd00::1']],
  ])('to which a name resolves is refused when any is not public: %j', async (addresses) => {
    const sender = makeSender({ allowed: [], resolve: async () => addresses });
    expect((await sender.send(message('https://hooks.example.com/'))).error).toBe('address_not_allowed');
  });

  test('is connected to as it was checked: a name that means another address a moment later is resolved once', async () => {
    let requests = 0;
    const server = createHttpServer((_request, response) => {
      requests += 1;
      response.writeHead(200, { connection: 'close' }).end();
    });
    const port = await listen(server);
    const answers = ['127.0.0.1', '127.0.0.2'];
    let resolutions = 0;
    const resolve = async () => [answers[resolutions++] ?? ''];
    const sender = makeSender({ allowed: ['127.0.0.1'], resolve });
    const url = `http://rebinding.example.com:${port}/`;
    expect((await sender.send(message(url))).error).toBeNull();
    expect(resolutions).toBe(1);
    // The second attempt resolves anew, and finds what is not allowed.
    expect((await sender.send(message(url))).error).toBe('address_not_allowed');
    expect([resolutions, requests]).toEqual([2, 1]);
  });

  test('that the operator allows is reached, whatever else is private', async () => {
    const url = await httpServer((_request, response) => response.end());
    expect((await makeSender({ allowed: ['127.0.0.0/8'] }).send(message(url))).error).toBeNull();
    expect((await makeSender({ allowed: ['10.0.0.0/8'] }).send(message(url))).error).toBe('address_not_allowed');
    const byName = makeSender({ allowed: ['127.0.0.0/8'] });
    expect((await byName.send(message(url.replace('127.0.0.1', 'localhost')))).error).toBeNull();
  });

  test('is not even looked at over http, unless the operator allows http', async () => {
    const url = await httpServer((_request, response) => response.end());
    expect((await makeSender({ allowHttp: false }).send(message(url))).error).toBe('url_invalid');
  });
});

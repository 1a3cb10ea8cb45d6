import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { selfSigned } from '../../../../test/support/self-signed.ts';
import { closeAfterEach, closers, httpServer, listen, makeSender, message, rawServer } from './sender.fixture.ts';

closeAfterEach();

describe('responses', () => {
  test('a 2xx response is a success and its body is returned', async () => {
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
    'a response with status %i is a failure and no redirect is followed',
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
  ])('the header "Retry-After: %s" is read as %s ms', async (value, expected) => {
    const url = await httpServer((_request, response) => response.writeHead(503, { 'retry-after': value }).end());
    expect((await makeSender().send(message(url))).retryAfterMs).toBe(expected);
  });

  test('of several Retry-After headers the first one is read', async () => {
    const url = await httpServer((_request, response) => {
      response.setHeader('retry-after', ['120', '60']);
      response.writeHead(503).end();
    });
    expect(await makeSender().send(message(url))).toMatchObject({ error: 'status_503', retryAfterMs: 120_000 });
  });

  test('a response of gigabytes is read up to 16 KiB, and then the connection is closed', async () => {
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

  test('a body with NUL or invalid UTF-8 becomes text of at most 16 KiB that every database can store', async () => {
    const url = await httpServer((_request, response) => response.end(Buffer.alloc(16 * 1024, '\u0000')));
    const other = await httpServer((_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x41])));
    const { responseBody } = await makeSender().send(message(url));
    expect(responseBody).not.toContain('\u0000');
    expect(Buffer.byteLength(responseBody ?? '')).toBeLessThanOrEqual(16 * 1024);
    expect((await makeSender().send(message(other))).responseBody).toBe('\ufffd\ufffdA');
  });

  test('a compressed body is not decompressed', async () => {
    const url = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all');
    });
    expect(await makeSender().send(message(url))).toMatchObject({ responseBody: 'not gzip at all', error: null });
  });
});

describe('hostile and slow endpoints', () => {
  const hostile: [string, (socket: Socket) => void, string][] = [
    ['sends garbage', (socket) => socket.end('\u0001\u0002garbage\r\n\r\n'), 'response_malformed'],
    ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), 'response_malformed'],
    [
      'sends two Content-Length headers',
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
    [
      'sends 100 Continue, which no request asks for',
      (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
      'response_malformed',
    ],
    ['closes the connection before it responds', (socket) => socket.destroy(), 'connection_reset'],
    ['closes the connection within its headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A'), 'connection_reset'],
    [
      'closes the connection within its body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab'),
      'connection_reset',
    ],
    [
      'switches protocols',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'status_101',
    ],
  ];

  test.each(hostile)('an endpoint that %s produces a failure with a class', async (_what, behave, error) => {
    expect((await makeSender().send(message(await rawServer(behave)))).error).toBe(error);
  });

  const slow: [string, (socket: Socket) => void, number | null][] = [
    ['sends nothing', () => undefined, null],
    ['sends half a header', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-Half'), null],
    ['never ends its body', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na'), 200],
    ['sends a byte at a time', (socket) => trickle(socket), 200],
    ['sends only 103 Early Hints', (socket) => trickle(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', ''), null],
  ];

  /** Sends a byte every 5 ms: each one would reset an idle timeout. */
  function trickle(socket: Socket, byte = 'a', head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'): void {
    socket.write(head);
    const timer = setInterval(() => socket.write(byte), 5);
    socket.on('close', () => clearInterval(timer));
  }

  test.each(slow)('a request to an endpoint that %s ends at the timeout', async (_what, behave, responseStatus) => {
    const closed = Promise.withResolvers<void>();
    const url = await rawServer((socket) => {
      socket.on('close', () => closed.resolve());
      behave(socket);
    });
    const result = await makeSender({ timeoutMs: 150 }).send(message(url));
    expect(result).toMatchObject({ error: 'timeout', responseStatus });
    await closed.promise;
  });

  test('a request whose name is never resolved ends at the timeout', async () => {
    const sender = makeSender({ timeoutMs: 50, resolve: () => new Promise(() => undefined) });
    expect((await sender.send(message('http://hooks.example.com/'))).error).toBe('timeout');
  });

  test('an unknown name fails with dns_failed, and a closed port with connection_refused', async () => {
    const unknown = makeSender({ resolve: () => Promise.reject(new Error('NXDOMAIN')) });
    expect((await unknown.send(message('http://hooks.example.com/'))).error).toBe('dns_failed');
    const port = await listen(createTcpServer());
    await closers.pop()?.();
    expect((await makeSender().send(message(`http://127.0.0.1:${port}/`))).error).toBe('connection_refused');
  });

  test('an endpoint with an untrusted certificate or without TLS receives no event', async () => {
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

  test('an endpoint with a trusted certificate receives its events over one connection', async () => {
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
    // The same certificate is not valid for another name.
    const byOtherName = makeSender({ resolve: async () => ['127.0.0.1'] });
    expect((await byOtherName.send(message(`https://other.example.com:${port}/`))).error).toBe('tls_invalid');
  });

  test('a request whose header contains a line break is not sent', async () => {
    let requests = 0;
    const url = await httpServer((_request, response) => {
      requests += 1;
      response.end();
    });
    const headers = { 'webhook-id': 'event-1\r\nX-Injected: 1' };
    expect((await makeSender().send({ ...message(url), headers })).error).not.toBeNull();
    expect(requests).toBe(0);
  });

  test('a body with other characters than ASCII arrives with its length in bytes', async () => {
    let received = '';
    const url = await httpServer(async (request, response) => {
      received = await text(request);
      response.end();
    });
    const body = '{"name":"Müller €"}';
    expect((await makeSender().send({ ...message(url), body })).error).toBeNull();
    expect(received).toBe(body);
  });
});

describe('addresses', () => {
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
  ])('the URL %s is refused without a connection because its address is not public', async (url) => {
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
  ])('a name that resolves to %j is refused because not all addresses are public', async (addresses) => {
    const sender = makeSender({ allowed: [], resolve: async () => addresses });
    expect((await sender.send(message('https://hooks.example.com/'))).error).toBe('address_not_allowed');
  });

  test('a request connects to the address that was checked: each request resolves its name once', async () => {
    let requests = 0;
    const server = createHttpServer((_request, response) => {
      requests += 1;
      response.writeHead(200, { connection: 'close' }).end();
    });
    const port = await listen(server);
    const resolved = ['127.0.0.1', '127.0.0.2'];
    let resolutions = 0;
    const resolve = async () => [resolved[resolutions++] ?? ''];
    const sender = makeSender({ allowed: ['127.0.0.1'], resolve });
    const url = `http://rebinding.example.com:${port}/`;
    expect((await sender.send(message(url))).error).toBeNull();
    expect(resolutions).toBe(1);
    // The second request resolves the name again and gets an address that is not allowed.
    expect((await sender.send(message(url))).error).toBe('address_not_allowed');
    expect([resolutions, requests]).toEqual([2, 1]);
  });

  test('nothing is sent over a connection whose remote address is not allowed, whatever its name resolved to', async () => {
    let receivedBytes = 0;
    const server = createTcpServer((socket) => {
      socket.on('data', (chunk) => {
        receivedBytes += chunk.length;
      });
    });
    const port = await listen(server);
    let checks = 0;
    // The check of the resolved address passes, the check of the connection does not.
    const addresses = { allows: () => ++checks === 1 };
    const sender = makeSender({ addresses, resolve: async () => ['127.0.0.1'] });
    expect((await sender.send(message(`http://hooks.example.com:${port}/`))).error).toBe('address_not_allowed');
    expect([checks, receivedBytes]).toEqual([2, 0]);
  });

  test('an address that the operator allows is reached, and other private addresses are not', async () => {
    const url = await httpServer((_request, response) => response.end());
    expect((await makeSender({ allowed: ['127.0.0.0/8'] }).send(message(url))).error).toBeNull();
    expect((await makeSender({ allowed: ['10.0.0.0/8'] }).send(message(url))).error).toBe('address_not_allowed');
    const byName = makeSender({ allowed: ['127.0.0.0/8'] });
    expect((await byName.send(message(url.replace('127.0.0.1', 'localhost')))).error).toBeNull();
  });

  test('an http URL is refused unless the operator allows http', async () => {
    const url = await httpServer((_request, response) => response.end());
    expect((await makeSender({ allowHttp: false }).send(message(url))).error).toBe('url_invalid');
  });
});

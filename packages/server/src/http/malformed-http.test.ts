import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { repeatedHeader, singleHeader } from './headers.ts';
import { createHttpServer } from './server.ts';

const logger = pino({ level: 'silent' });
const makeApp = () => {
  const app = createHttpServer({ logger, metrics: createMetrics(), trustProxy: false, https: false });
  app.get('/headers/:name', (request) => {
    const value = singleHeader(request, (request.params as { name: string }).name);
    return { value: value === repeatedHeader ? 'repeated' : (value ?? 'absent') };
  });
  app.post('/echo', (request) => ({ body: request.body }));
  return app;
};
const app = makeApp();
const portOf = (server: typeof app) => (server.server.address() as AddressInfo).port;

beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

/** Sends raw bytes and returns all bytes received until the server closes the connection. */
function exchange(bytes: string, port = portOf(app)): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

const closing = 'Connection: close\r\n';
type Case = [title: string, bytes: string, status: number, code: string];
const malformed: readonly Case[] = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'REQUEST.MALFORMED'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'REQUEST.MALFORMED'],
  ['two different Hosts', `GET /headers/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n${closing}\r\n`, 400, 'REQUEST.MALFORMED'],
  ['two equal Hosts', `GET /headers/a HTTP/1.1\r\nHost: a\r\nhost: a\r\n${closing}\r\n`, 400, 'REQUEST.MALFORMED'],
  ['two Hosts in HTTP/1.0', 'GET /headers/a HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'REQUEST.MALFORMED'],
  ['an empty Host', `GET /headers/a HTTP/1.1\r\nHost: \r\n${closing}\r\n`, 400, 'REQUEST.MALFORMED'],
  ...['a b', 'a/b', 'a@b', 'a"b', 'a<b', 'a\\b', 'a?b', 'a:b', 'a:1:2', '[::1', ':80', 'ä', '%zz', 'a, b'].map(
    (host): Case => [`the Host ${host}`, `GET / HTTP/1.1\r\nHost: ${host}\r\n${closing}\r\n`, 400, 'REQUEST.MALFORMED'],
  ),
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n', 400, 'REQUEST.MALFORMED'],
  ['NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-API-Key: a\x00b\r\n\r\n', 400, 'REQUEST.MALFORMED'],
  ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'REQUEST.MALFORMED'],
  [
    '17 KiB of headers',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
    431,
    'REQUEST.HEADERS_TOO_LARGE',
  ],
  [
    'an unknown expectation',
    `GET /nowhere HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n${closing}\r\n`,
    404,
    'ROUTE.NOT_FOUND',
  ],
  [
    'an upgrade',
    'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    404,
    'ROUTE.NOT_FOUND',
  ],
  ['an absolute URL', `GET http://a/nowhere HTTP/1.1\r\nHost: a\r\n${closing}\r\n`, 404, 'ROUTE.NOT_FOUND'],
];

describe('invalid HTTP', () => {
  it.each(malformed)(
    '%s gets the error envelope, the usual headers and a closed connection',
    async (_title, bytes, status, code) => {
      const response = await exchange(bytes);
      const [head = '', body = ''] = response.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head.toLowerCase()).toContain('x-service-api-version: 1');
      const requestId = /x-request-id: (\S+)/i.exec(head)?.[1];
      const parsed = JSON.parse(body);
      expect(parsed).toMatchObject({ error: { code }, meta: { request_id: requestId, api_version: '1' } });
    },
  );
});

it.each(['a', 'a:80', 'a.example.com.', '127.0.0.1:3000', '[::1]:3000', 'a_b', 'xn--bcher-kva.example', 'a:'])(
  'the Host %s is accepted',
  async (host) => {
    const response = await exchange(`GET /headers/a HTTP/1.1\r\nHost: ${host}\r\n${closing}\r\n`);
    expect(response).toMatch(/^HTTP\/1.1 200 /);
  },
);

it('a request of HTTP/1.0 may omit the Host', async () => {
  expect(await exchange('GET /headers/a HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
});

describe('headers that may occur once', () => {
  it.each([
    ['authorization', '', 'absent'],
    ['authorization', 'Authorization: Bearer a, b\r\n', 'Bearer a, b'],
    ['authorization', 'Authorization: Bearer a\r\nAUTHORIZATION: Bearer a\r\n', 'repeated'],
    ['x-api-key', 'X-API-Key: a\r\n', 'a'],
    ['x-api-key', 'X-API-Key: a, b\r\n', 'a, b'],
    ['x-api-key', 'X-API-Key: a\r\nx-api-key: a\r\n', 'repeated'],
    ['x-tenant-id', 'X-Tenant-ID: \r\nX-Tenant-ID: a\r\n', 'repeated'],
  ])('singleHeader for %s of %j returns %j', async (name, headers, expected) => {
    const response = await exchange(`GET /headers/${name} HTTP/1.1\r\nHost: a\r\n${headers}${closing}\r\n`);
    expect(response.split('\r\n\r\n')[1]).toBe(JSON.stringify({ value: expected }));
  });

  it('a repeated request id is replaced', async () => {
    const ids = 'X-Request-ID: one\r\nX-Request-ID: two\r\n';
    const response = await exchange(`GET /headers/a HTTP/1.1\r\nHost: a\r\n${ids}${closing}\r\n`);
    expect(response).toMatch(/x-request-id: [0-9a-f]{8}-[0-9a-f]{4}-7/i);
  });
});

/** Returns a promise and the function that resolves it. */
function signal() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, send: () => resolve() };
}

it('during a stop a request in flight finishes, and a later one on its connection is served and ends it', async () => {
  const [arrived, released, stopping, arrivedLate] = [signal(), signal(), signal(), signal()];
  const server = makeApp();
  server.get('/slow', async () => {
    arrived.send();
    await released.promise;
    return { finished: true };
  });
  server.addHook('preClose', (done) => {
    stopping.send();
    done();
  });
  server.server.on('request', (message) => message.url === '/headers/a' && arrivedLate.send());
  await server.listen({ host: '127.0.0.1', port: 0 });

  const socket = connect(portOf(server), '127.0.0.1');
  const answers = text(socket);
  const request = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  request('/slow');
  await arrived.promise;
  const closed = server.close();
  await stopping.promise;
  request('/headers/a');
  await arrivedLate.promise;
  released.send();

  const [first, second] = (await answers).split(/(?<=})(?=HTTP)/);
  expect(first).toContain('{"finished":true}');
  expect(second).toMatch(/^HTTP\/1.1 200 /);
  expect(second?.toLowerCase()).toContain('connection: close');
  await closed;
});

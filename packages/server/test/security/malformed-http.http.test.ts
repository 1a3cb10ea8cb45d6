import { afterEach, beforeAll, expect, test } from 'vitest';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { engine, useApp } from '../support/harness.ts';
import { exchange, openSocket, portOf, type RawAnswer, readAnswers } from '../support/raw-http.ts';
import { countAllRows, type RowCounts } from '../support/row-counts.ts';

const suite = useApp();
let tenant: TestTenant;
let before: RowCounts;

beforeAll(async () => {
  tenant = await createTenant(suite.app, await createAdmin(suite.app));
  await suite.app.listen();
  before = await countAllRows(suite.app, tenant.id);
});

afterEach(async () => {
  expect(await countAllRows(suite.app, tenant.id), 'a refused request writes nothing').toEqual(before);
});

const bearer = () => `Authorization: Bearer ${tenant.owner.token}`;
const create = 'POST /api/v1/tenant/products HTTP/1.1';
const validate = 'POST /api/v1/integration/licenses/UNKNOWN/validate HTTP/1.1';
const json = 'Content-Type: application/json';
const close = 'Connection: close';

/** Returns a request with `Host`, and with the credentials of the tenant's owner unless `headers` has others. */
function request(start: string, headers: readonly string[], body = ''): string {
  const isAuthenticated = headers.some((header) => /^(authorization|x-api-key)/i.test(header));
  return `${[start, 'Host: a', ...(isAuthenticated ? [] : [bearer()]), ...headers].join('\r\n')}\r\n\r\n${body}`;
}

const sized = (start: string, headers: readonly string[], body: string) =>
  request(start, [...headers, close, `Content-Length: ${Buffer.byteLength(body)}`], body);

interface Case {
  readonly title: string;
  readonly bytes: () => string | Buffer;
  readonly status: number;
  readonly code: string;
}

const bodies: readonly Case[] = [
  ['broken JSON', '{"code":', 400, 'REQUEST.MALFORMED'],
  ['two documents', '{"code":"a","name":"A"}{}', 400, 'REQUEST.MALFORMED'],
  ['a comment', '{"code":"a",/* */"name":"A"}', 400, 'REQUEST.MALFORMED'],
  ['NaN', '{"code":NaN}', 400, 'REQUEST.MALFORMED'],
  ['__proto__', '{"code":"a","name":"A","__proto__":{"x":1}}', 400, 'REQUEST.MALFORMED'],
  ['1,000 levels', `{"metadata":${'['.repeat(1000)}${']'.repeat(1000)}}`, 400, 'REQUEST.MALFORMED'],
  ['NUL', '{"code":"a","name":"A\\u0000"}', 422, 'VALIDATION.FAILED'],
  ['a lone surrogate', '{"code":"a","name":"A\\ud800"}', 422, 'VALIDATION.FAILED'],
  ['a list', '[{"code":"a","name":"A"}]', 422, 'VALIDATION.FAILED'],
  ['an empty body', '', 422, 'VALIDATION.FAILED'],
  ['more than 1 MiB', `{"code":"${'a'.repeat(1024 * 1024)}"}`, 413, 'REQUEST.TOO_LARGE'],
].map(([title, body, status, code]) => ({
  title: String(title),
  bytes: () => sized(create, [json], String(body)),
  status: Number(status),
  code: String(code),
}));

const product = '{"code":"a","name":"A"}';

const messages: readonly Case[] = [
  {
    title: 'bytes that are not UTF-8',
    bytes: () => {
      const body = Buffer.from([...Buffer.from('{"code":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
      return Buffer.concat([Buffer.from(request(create, [json, close, `Content-Length: ${body.length}`])), body]);
    },
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'no content type',
    bytes: () => sized(create, [], product),
    status: 415,
    code: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
  },
  {
    title: 'a form',
    bytes: () => sized(create, ['Content-Type: application/x-www-form-urlencoded'], 'code=a&name=A'),
    status: 415,
    code: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
  },
  {
    title: 'two content types',
    bytes: () => sized(create, ['Content-Type: text/plain', json], product),
    status: 415,
    code: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
  },
  {
    title: 'a compressed body',
    bytes: () => sized(create, [json, 'Content-Encoding: br'], product),
    status: 415,
    code: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
  },
  {
    title: 'a token sent twice',
    bytes: () => sized(create, [bearer(), bearer(), json], product),
    status: 401,
    code: 'AUTH.INVALID_TOKEN',
  },
  {
    title: 'an API key sent twice',
    bytes: () => sized(validate, [`X-API-Key: ${tenant.apiKey}`, `x-api-key: ${tenant.apiKey}`, json], '{}'),
    status: 401,
    code: 'AUTH.INVALID_API_KEY',
  },
  {
    title: 'a tenant id sent twice',
    bytes: () => sized(create, [`X-Tenant-ID: ${tenant.id}`, `X-Tenant-ID: ${tenant.id}`, json], product),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'headers of 20 KiB',
    bytes: () => request('GET /api/v1/tenant/products HTTP/1.1', [`X-Filler: ${'a'.repeat(20_480)}`]),
    status: 431,
    code: 'REQUEST.HEADERS_TOO_LARGE',
  },
  {
    title: 'a URL of 20 KiB',
    bytes: () => request(`GET /api/v1/tenant/products?code=${'a'.repeat(20_480)} HTTP/1.1`, []),
    status: 431,
    code: 'REQUEST.HEADERS_TOO_LARGE',
  },
  {
    title: 'a space in a header name',
    bytes: () => request(create, ['X Filler: a', json], product),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'a bare line feed in a header',
    bytes: () => request(create, ['X-Filler: a\nX-Tenant-ID: b', json], product),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    // The basis of request smuggling (RFC 9112, section 11.2).
    title: 'both Content-Length and chunked coding',
    bytes: () => request(create, [json, 'Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'two different lengths',
    bytes: () => request(create, [json, 'Content-Length: 4', 'Content-Length: 5'], product),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'a negative length',
    bytes: () => request(create, [json, 'Content-Length: -1'], product),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'a chunk whose size is not a number',
    bytes: () => request(create, [json, 'Transfer-Encoding: chunked'], 'xyz\r\n{}\r\n0\r\n\r\n'),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'a chunk that is longer than its size',
    bytes: () => request(create, [json, 'Transfer-Encoding: chunked'], `2\r\n${product}\r\n0\r\n\r\n`),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'chunks of more than 1 MiB in total',
    bytes: () => {
      const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
      return request(create, [json, close, 'Transfer-Encoding: chunked'], `${chunk.repeat(17)}0\r\n\r\n`);
    },
    status: 413,
    code: 'REQUEST.TOO_LARGE',
  },
  {
    title: 'an unknown transfer coding',
    bytes: () => request(create, [json, 'Transfer-Encoding: gzip'], product),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'bytes that are not HTTP',
    bytes: () => '\u0016\u0003\u0001 hello\r\n\r\n',
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'an unknown method',
    bytes: () => request('BREW /api/v1/tenant/products HTTP/1.1', []),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'a method that no route has',
    bytes: () => request('PROPFIND /api/v1/tenant/products HTTP/1.1', [close]),
    status: 405,
    code: 'ROUTE.METHOD_NOT_ALLOWED',
  },
  {
    title: 'no host',
    bytes: () => `GET /api/v1/tenant/products HTTP/1.1\r\n${bearer()}\r\n${close}\r\n\r\n`,
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'a path that is not UTF-8',
    bytes: () => request('GET /api/v1/tenant/products/%ff%fe HTTP/1.1', [close]),
    status: 400,
    code: 'REQUEST.MALFORMED',
  },
  {
    title: 'a path with NUL',
    bytes: () => request('GET /api/v1/tenant/products/%00 HTTP/1.1', [close]),
    status: 404,
    code: 'RESOURCE.NOT_FOUND',
  },
  {
    title: 'a path with ..',
    bytes: () => request('GET /api/v1/tenant/../admin/tenants HTTP/1.1', [close]),
    status: 404,
    code: 'ROUTE.NOT_FOUND',
  },
];

function expectConventions(answer: RawAnswer | undefined): void {
  expect(answer?.headers['x-service-api-version']).toBe('1');
  const { error, meta } = JSON.parse(answer?.body ?? '');
  expect(meta).toEqual({ request_id: answer?.headers['x-request-id'], api_version: '1' });
  expect(error.message).toMatch(/^[A-Z].*\.$/);
  expect(answer?.body).not.toMatch(/\bat .*:\d+:\d+|node_modules/);
}

test.each([...bodies.map((one) => ({ ...one, title: `a JSON body with ${one.title}` })), ...messages])(
  'a request with $title is answered with $status $code and a message',
  async ({ bytes, status, code }) => {
    const [answer] = await exchange(suite.app, bytes());
    expect([answer?.status, JSON.parse(answer?.body ?? '{}').error?.code]).toEqual([status, code]);
    expectConventions(answer);
  },
);

test('a client that disconnects within a body writes nothing, and the service continues', async () => {
  const socket = await openSocket(portOf(suite.app));
  const arrived = new Promise((resolve) => suite.app.http.server.once('request', resolve));
  socket.write(request(create, [json, 'Content-Length: 100'], product));
  await arrived;
  socket.destroy();
  const [answer] = await exchange(suite.app, request('GET /api/v1/tenant/products HTTP/1.1', [close]));
  expect(answer?.status).toBe(200);
});

test('100 pipelined requests on one connection are answered in order', async () => {
  const socket = await openSocket(portOf(suite.app));
  const answers = readAnswers(socket);
  const ids = Array.from({ length: 100 }, (_unused, index) => `${engine}-${index}`);
  const requests = ids.map((id, index) =>
    request(`GET /api/v1/tenant/products${index % 3 === 0 ? '/unknown' : ''} HTTP/1.1`, [
      `X-Request-ID: ${id}`,
      ...(id === ids.at(-1) ? [close] : []),
    ]),
  );
  socket.write(requests.join(''));
  expect((await answers).map(({ headers }) => headers['x-request-id'])).toEqual(ids);
});

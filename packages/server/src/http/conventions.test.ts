import { pino } from 'pino';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailableError } from '../db/errors.ts';
import { AppError } from '../lib/error.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { metricsRoute } from '../metrics/metrics-route.ts';
import { Envelope, success } from './envelope.ts';
import { withErrorResponses } from './routes/tenant-route.ts';
import { IdParams, Metadata, Name, Nullable, PageQuery, strictObject, TimestampIn, Uuid } from './schema.ts';
import { createHttpServer } from './server.ts';
import { refuseUnknownFields } from './strict-requests.ts';

const logLines: string[] = [];

const Thing = strictObject({
  name: Name,
  kind: Type.Optional(Type.Enum(['device', 'seat'])),
  policy: Type.Optional(
    strictObject({
      max_activations: Nullable(Type.Integer({ minimum: 1 })),
      mode: Type.Optional(Type.Union([Type.Literal('on'), Type.Literal('off')])),
    }),
  ),
  expires_at: Type.Optional(Nullable(TimestampIn)),
  product_id: Type.Optional(Uuid),
  email: Type.Optional(Type.String({ format: 'email' })),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 3 }), { maxItems: 3 })),
  metadata: Type.Optional(Metadata),
});

function buildApp() {
  const metrics = createMetrics();
  const logger = pino({ level: 'info' }, { write: (line: string) => void logLines.push(line) });
  const app = createHttpServer({ logger, metrics, trustProxy: false, https: true });
  refuseUnknownFields(app);
  const schema = { summary: 'Test', tags: ['Operations'] as const, response: { 200: Envelope(Type.Unknown()) } };
  const echo = (request: Parameters<typeof success>[0]) => success(request, request.body ?? null);
  app.post('/api/v1/things', { schema: withErrorResponses({ ...schema, body: Thing }), handler: echo });
  app.post('/api/v1/optional', {
    schema: withErrorResponses({ ...schema, body: strictObject({ note: Type.Optional(Type.String()) }) }),
    handler: echo,
  });
  app.post('/api/v1/actions', { schema: withErrorResponses(schema), handler: echo });
  app.get('/api/v1/things', {
    schema: withErrorResponses({
      ...schema,
      querystring: PageQuery({
        open: Type.Optional(Type.Boolean()),
        status: Type.Optional(Type.Array(Type.Enum(['active', 'revoked']))),
        name: Type.Optional(Type.String()),
      }),
    }),
    handler: (request) => success(request, request.query),
  });
  const withParams = withErrorResponses({ ...schema, params: IdParams });
  app.get('/api/v1/things/:id', { schema: withParams, handler: (request) => success(request, request.params) });
  app.put('/api/v1/things/:id', { schema: withParams, handler: (request) => success(request, request.params) });
  app.get('/api/v1/failures/:kind', {
    schema: withErrorResponses({ ...schema, params: Type.Object({ kind: Type.String() }) }),
    handler(request) {
      const { kind } = request.params as { kind: string };
      if (kind === 'token') throw new AppError('AUTH.INVALID_TOKEN', 'Log in again.');
      if (kind === 'limit') throw new AppError('RATE_LIMIT.EXCEEDED', 'Wait.', { headers: { 'retry-after': '7' } });
      if (kind === 'database') throw new DatabaseUnavailableError('down');
      // A second failure with the same cause is only counted in the log.
      const cause = kind === 'bug' ? 'another detail' : 'internal detail';
      throw Object.assign(new Error(cause), { detail: 'row with the-secret-value' });
    },
  });
  metricsRoute(app, metrics, { host: '127.0.0.1', metricsToken: null, metricsPort: null });
  return app;
}

const app = buildApp();
beforeAll(async () => {
  await app.ready();
});
afterAll(() => app.close());

const json = { 'content-type': 'application/json' };
const post = (payload: string | Buffer, headers: Record<string, string> = json, url = '/api/v1/things') =>
  app.inject({ method: 'POST', url, headers, payload });
const nested = (levels: number) => `{"metadata":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('malformed bodies', () => {
  const cases: readonly [title: string, body: string | Buffer, status: number, code: string, headers?: object][] = [
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'REQUEST.MALFORMED'],
    ['a surrogate encoded as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 400, 'REQUEST.MALFORMED'],
    ['a raw NUL', Buffer.from('{"name":"a\u0000"}'), 400, 'REQUEST.MALFORMED'],
    ['an escaped __proto__', '{"name":"a","\\u005f_proto__":{}}', 400, 'REQUEST.MALFORMED'],
    ['constructor.prototype', '{"name":"a","constructor":{"prototype":{}}}', 400, 'REQUEST.MALFORMED'],
    ['33 levels', nested(32), 400, 'REQUEST.MALFORMED'],
    ['16,000 open brackets', '['.repeat(16_000), 400, 'REQUEST.MALFORMED'],
    ['null', 'null', 422, 'VALIDATION.FAILED'],
    ['a number', '1', 422, 'VALIDATION.FAILED'],
    ['plain text', 'name=a', 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE', { 'content-type': 'text/plain' }],
    ['UTF-16', '{}', 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE', { 'content-type': 'application/json; charset=utf-16' }],
    ['gzip', 'x', 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE', { ...json, 'content-encoding': 'gzip' }],
    ['a broken content type', '{}', 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE', { 'content-type': '///' }],
  ];
  it.each(cases)('a body with %s is refused', async (_title, body, status, code, headers = json) => {
    const response = await post(body, headers as Record<string, string>);
    expect([response.statusCode, response.json().error.code]).toEqual([status, code]);
    expect(response.json().error.message).toMatch(/\.$/);
    expect(response.headers['x-service-api-version']).toBe('1');
  });

  it.each([
    ['32 levels', `{"note":"a","x":${'['.repeat(31)}${']'.repeat(31)}}`, 422],
    ['brackets inside a string', `{"note":"${'{'.repeat(100)}\\"${'['.repeat(100)}"}`, 200],
    ['an escaped backslash before u0000', '{"note":"\\\\u0000"}', 200],
    ['a whole surrogate pair', '{"note":"\\ud83d\\ude00"}', 200],
    ['a repeated key, the last one counts', '{"note":1,"note":"b"}', 200],
    ['a byte order mark', '\ufeff{"note":"a"}', 200],
    ['no content where every field is optional', '', 200],
  ])('the parser accepts a body with %s', async (_title, body, status) => {
    expect((await post(body, json, '/api/v1/optional')).statusCode).toBe(status);
  });

  it('the JSON parser accepts charset=UTF-8 in any spelling', async () => {
    const response = await post(
      '{"note":"ä"}',
      { 'content-type': 'application/json;charset="UTF-8"' },
      '/api/v1/optional',
    );
    expect([response.statusCode, response.json().data]).toEqual([200, { note: 'ä' }]);
  });
});

describe('invalid fields', () => {
  const cases: readonly [title: string, body: unknown, details: Record<string, string>][] = [
    ['required fields', {}, { name: 'This field is required.' }],
    [
      'several at once',
      { name: '', kind: 'x', extra: 'SECRET', tags: ['abcd', 1] },
      {
        extra: 'This field is not known. Remove it or correct its name.',
        name: 'Enter a value.',
        kind: 'Choose one of device, seat.',
        'tags.0': 'Enter at most 3 characters.',
        'tags.1': 'Enter text.',
      },
    ],
    [
      'nested fields',
      { name: 'a', policy: { max_activations: 0, mode: 'x', y: 1 } },
      {
        'policy.y': 'This field is not known. Remove it or correct its name.',
        'policy.max_activations': 'Enter a number of at least 1.',
        'policy.mode': 'Choose one of on, off.',
      },
    ],
    ['a nested required field', { name: 'a', policy: {} }, { 'policy.max_activations': 'This field is required.' }],
    [
      'the wrong type of a nullable field',
      { name: 'a', policy: { max_activations: '3' } },
      {
        'policy.max_activations': 'Enter a whole number or null.',
      },
    ],
    ['no coercion', { name: 5, product_id: 7 }, { name: 'Enter text.', product_id: 'Enter text.' }],
    [
      'formats',
      { name: 'a', expires_at: '2026-02-30T00:00:00Z', product_id: 'X', email: 'SECRET' },
      {
        expires_at:
          'Enter a date such as 2026-12-01, or a date and time such as 2026-11-20T17:42:00Z, in the years 1970 to 9999.',
        product_id: 'Enter an id: a UUID such as 0197f3a2-7c1e-7b4d-9a3f-5d2e8c6b1a90.',
        email: 'Enter an email address such as ada@example.com.',
      },
    ],
    ['white space around a name', { name: ' a' }, { name: 'Remove the spaces at the start and the end.' }],
    ['a name of 101 characters', { name: 'a'.repeat(101) }, { name: 'Enter at most 100 characters.' }],
    ['a name of a list', { name: ['a'] }, { name: 'Enter text.' }],
    [
      'metadata of 65 keys',
      { name: 'a', metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [i, 1])) },
      {
        metadata: 'Send at most 64 keys.',
      },
    ],
    [
      'metadata of 5 levels',
      { name: 'a', metadata: { a: { b: { c: [{}] } } } },
      {
        metadata: 'Send at most 4 levels.',
      },
    ],
    [
      'metadata of 17 KiB',
      { name: 'a', metadata: { a: 'ä'.repeat(8704) } },
      { metadata: 'Send at most 16 KiB as JSON.' },
    ],
    ['metadata that is a list', { name: 'a', metadata: [] }, { metadata: 'Enter an object.' }],
    [
      'a NUL',
      { name: 'a\u0000', metadata: { list: ['\ud800'], x: { '\u0000': 1 } } },
      {
        name: 'Remove NUL and lone surrogates.',
        'metadata.list.0': 'Remove NUL and lone surrogates.',
        'metadata.x': 'Remove NUL and lone surrogates from the names of fields.',
      },
    ],
  ];
  it.each(cases)('every invalid field is named without its value: %s', async (_title, body, details) => {
    const response = await post(JSON.stringify(body));
    expect(response.statusCode).toBe(422);
    const { error } = response.json();
    const named = Object.fromEntries(
      error.details.map((detail: { field: string; message: string }) => [detail.field, detail.message]),
    );
    expect(named).toEqual(details);
    expect(response.body).not.toContain('SECRET');
  });

  it('metadata at its limits is accepted', async () => {
    const metadata = { ...Object.fromEntries(Array.from({ length: 63 }, (_, i) => [i, 1])), a: { b: { c: {} } } };
    const response = await post(JSON.stringify({ name: 'a', metadata }));
    expect([response.statusCode, response.json().data.metadata]).toEqual([200, metadata]);
  });

  it('a route without a declared body or query string refuses every field', async () => {
    const body = await post('{"role":"owner"}', json, '/api/v1/actions');
    expect([body.statusCode, body.json().error.details[0].field]).toEqual([422, 'role']);
    const query = await app.inject({ method: 'POST', url: '/api/v1/actions?force=1' });
    expect([query.statusCode, query.json().error.details[0].field]).toEqual([422, 'force']);
    expect((await app.inject({ method: 'POST', url: '/api/v1/actions' })).statusCode).toBe(200);
  });
});

describe('query strings', () => {
  it.each([
    ['limit=5&open=true&status=active&name=5', { limit: 5, open: true, status: ['active'], name: '5' }],
    ['status=active&status=revoked', { status: ['active', 'revoked'] }],
    ['', {}],
  ])('the query string "%s" is converted to its types', async (query, expected) => {
    expect((await app.inject(`/api/v1/things?${query}`)).json().data).toEqual(expected);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=0x5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=true', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['open=1', 'open'],
    ['status=odd', 'status.0'],
    ['name=a&name=b', 'name'],
    ['name=%00', 'name'],
    ['name=a%0Ab', 'name'],
    ['%00=a', 'query'],
    ['nmae=a', 'nmae'],
    ['__proto__=a', '__proto__'],
    ['cursor=', 'cursor'],
  ])('the query string "%s" is a 422 that names %s', async (query, field) => {
    const response = await app.inject(`/api/v1/things?${query}`);
    expect([response.statusCode, response.json().error.details?.[0].field]).toEqual([422, field]);
  });

  it.each(['name=%zz', 'name=%ff', 'name=%ed%a0%80', 'name=100%'])('the query string "%s" is a 400', async (query) => {
    const response = await app.inject(`/api/v1/things?${query}`);
    expect([response.statusCode, response.json().error.code]).toEqual([400, 'REQUEST.MALFORMED']);
  });
});

describe('paths', () => {
  const id = '018f2f3a-0000-7000-8000-000000000000';
  it.each([
    ['GET', `/api/v1/things/${id}`, 200, undefined],
    ['HEAD', `/api/v1/things/${id}`, 200, undefined],
    ['GET', '/api/v1/things/1', 404, 'RESOURCE.NOT_FOUND'],
    ['GET', `/api/v1/things/${id.toUpperCase()}`, 200, undefined],
    ['GET', '/api/v1/things/a%00b', 404, 'RESOURCE.NOT_FOUND'],
    ['GET', `/api/v1/things/${'a'.repeat(513)}`, 414, 'REQUEST.URI_TOO_LONG'],
    ['GET', '/api/v1/things/%zz', 400, 'REQUEST.MALFORMED'],
    ['GET', '/api/v1/things/%ed%a0%80', 400, 'REQUEST.MALFORMED'],
    ['GET', '/nowhere', 404, 'ROUTE.NOT_FOUND'],
    ['GET', `/nowhere/${'a'.repeat(2000)}`, 404, 'ROUTE.NOT_FOUND'],
    ['GET', '/api/v1/things/', 404, 'RESOURCE.NOT_FOUND'],
    ['GET', '/api/v1/Things', 404, 'ROUTE.NOT_FOUND'],
    ['GET', '//api/v1/things', 404, 'ROUTE.NOT_FOUND'],
  ] as const)('the request %s %s gets the response %i %s', async (method, url, status, code) => {
    const response = await app.inject({ method, url });
    expect(response.statusCode).toBe(status);
    if (code !== undefined) expect(response.json().error.code).toBe(code);
  });

  it.each([
    ['DELETE', `/api/v1/things/${id}`, 'GET, HEAD, PUT'],
    ['PUT', '/api/v1/things?limit=1', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/things', 'GET, HEAD, POST'],
    ['PROPFIND', '/api/v1/actions', 'POST'],
  ])('the request %s %s gets a 405 that allows %s', async (method, url, allow) => {
    const response = await app.inject({ method: method as 'GET', url });
    expect([response.statusCode, response.headers['allow']]).toEqual([405, allow]);
    expect(response.json().error.code).toBe('ROUTE.METHOD_NOT_ALLOWED');
  });

  it.each([
    ['broken JSON', '{', json],
    ['another type', 'a', { 'content-type': 'text/plain' }],
    ['too much', 'a'.repeat(1024 * 1024 + 1), json],
  ])('an unknown path is a 404 regardless of its body: %s', async (_title, payload, headers) => {
    const response = await post(payload, headers, '/nowhere');
    expect([response.statusCode, response.json().error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
  });
});

describe('response headers', () => {
  const common = {
    'x-service-api-version': '1',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  };
  it.each([
    '/health',
    '/api/v1/things',
    '/api/v1/things?x=1',
    '/nowhere',
    '/api/v1/things/%zz',
    '/api/v1/things/%00',
    '/api/v1/failures/bug',
    '/metrics',
  ])('the response to %s has the version, a request id and the security headers', async (url) => {
    const response = await app.inject({ url, headers: { 'x-request-id': 'mine-1.2_3' } });
    expect(response.headers).toMatchObject({ ...common, 'x-request-id': 'mine-1.2_3' });
    if (url !== '/metrics') expect(response.json().meta).toMatchObject({ request_id: 'mine-1.2_3', api_version: '1' });
  });

  it.each(['', 'with space', 'a'.repeat(129), 'a/b', 'ä', 'a, b'])('the request id "%s" is replaced', async (given) => {
    const response = await app.inject({ url: '/health', headers: { 'x-request-id': given } });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(response.json().meta.request_id).toBe(response.headers['x-request-id']);
  });
});

describe('errors', () => {
  it.each([
    ['token', 401, 'AUTH.INVALID_TOKEN', { 'www-authenticate': 'Bearer' }],
    ['limit', 429, 'RATE_LIMIT.EXCEEDED', { 'retry-after': '7' }],
    ['database', 503, 'SERVICE.UNAVAILABLE', { 'retry-after': '1' }],
    ['bug', 500, 'INTERNAL.ERROR', {}],
  ])('an error of kind %s becomes %i %s', async (kind, status, code, headers) => {
    const response = await app.inject(`/api/v1/failures/${kind}`);
    expect([response.statusCode, response.json().error.code]).toEqual([status, code]);
    expect(response.headers).toMatchObject(headers);
  });

  it('an unexpected error is opaque to the caller and logged with its request id, without row values', async () => {
    logLines.length = 0;
    const response = await app.inject({ url: '/api/v1/failures/SECRET-KEY', headers: { 'x-request-id': 'find-me' } });
    expect(response.body).not.toContain('internal detail');
    const log = logLines.join('');
    expect(log).toContain('internal detail');
    expect(log).toContain('"request_id":"find-me"');
    expect(log).toContain('"route":"/api/v1/failures/:kind"');
    expect(log).not.toContain('SECRET-KEY');
    expect(log).not.toContain('the-secret-value');
  });
});

describe('operations', () => {
  it('/metrics counts requests by the pattern of their route', async () => {
    await app.inject('/api/v1/things/SECRET-KEY');
    await app.inject('/SECRET-PATH');
    const { body, headers } = await app.inject('/metrics');
    expect(headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(body).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/things\/:id",status="404"\} \d/,
    );
    expect(body).toMatch(/http_request_duration_seconds_bucket\{le="\+Inf",.*route="unmatched",status="404"\} \d/);
    expect(body).toContain('process_cpu_seconds_total');
    expect(body).not.toContain('SECRET');
  });
});

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAdmin, useTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp } from '../support/harness.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import { cutPlatformDatabase } from '../support/outage.ts';

const origin = 'https://app.example.com';
const suite = useTenant({ CORS_ORIGINS: origin });
let data: LicensingData;

beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
});

const get = (url: string, headers: object = {}) => suite.app.request({ method: 'GET', url, headers: { ...headers } });

describe('cross-origin requests', () => {
  const preflight = (from: string, url = '/api/v1/tenant/products') =>
    suite.app.request({
      method: 'OPTIONS',
      url,
      headers: {
        origin: from,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization, content-type, x-tenant-id',
      },
    });

  test('an origin in CORS_ORIGINS may send requests', async () => {
    const answer = await preflight(origin);
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization, content-type, x-tenant-id',
      'x-service-api-version': '1',
      'x-request-id': expect.any(String),
    });
    expect(answer.headers['vary']).toMatch(/origin/i);
  });

  test('an allowed origin may read rate limit and request id headers, also on errors', async () => {
    for (const headers of [suite.tenant.owner.auth, {}]) {
      const answer = await get('/api/v1/tenant/products', { ...headers, origin });
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-expose-headers']).toMatch(/X-Request-ID.*X-RateLimit-Limit.*Retry-After/);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test.each(['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null'])(
    'the origin %s may not send requests',
    async (from) => {
      expect((await preflight(from)).headers['access-control-allow-origin']).not.toBe(from);
      const answer = await get('/health', { origin: from });
      expect(answer.headers['access-control-allow-origin']).not.toBe(from);
    },
  );

  const open = () =>
    [
      { method: 'POST', url: `/api/v1/integration/licenses/${data.licenseKey}/validate` },
      { method: 'GET', url: `/api/v1/tenants/${suite.tenant.id}/jwks.json` },
      { method: 'POST', url: '/ofrep/v1/evaluate/flags/any' },
    ] as const;

  test.each(['https://evil.example', 'http://localhost:8080', 'null', origin])(
    'a script of the origin %s may call the Integration API, the key set and the feature flags',
    async (from) => {
      for (const { method, url } of open()) {
        const allowed = await preflight(from, url);
        expect([url, allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([url, 204, '*']);
        for (const headers of [{ 'x-api-key': suite.tenant.apiKey }, { 'x-api-key': 'vx_wrong' }]) {
          const answer = await suite.app.request({ method, url, headers: { ...headers, origin: from } });
          expect([url, answer.headers['access-control-allow-origin']]).toEqual([url, '*']);
          expect(answer.headers['access-control-expose-headers']).toMatch(/X-Request-ID.*Retry-After/);
          expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
        }
      }
    },
  );

  test.each([
    '/api/v1/tenant/licenses',
    '/api/v1/admin/tenants',
    '/api/v1/billing/plans',
    '/api/auth/login',
    '/api/v1/tenants/x/jwks.json/y',
    '/api/v1/integrations',
    '//api/v1/integration/licenses/x/validate',
  ])('a script of a foreign origin may not call %s', async (url) => {
    const from = 'https://evil.example';
    expect((await preflight(from, url)).headers['access-control-allow-origin']).toBeUndefined();
    expect((await get(url, { origin: from })).headers['access-control-allow-origin']).toBeUndefined();
  });

  test('a request without an origin gets no headers for scripts, and caches keep the two apart', async () => {
    for (const { method, url } of open()) {
      const { headers } = await suite.app.request({ method, url });
      expect([headers['access-control-allow-origin'], headers['access-control-expose-headers']]).toEqual([
        undefined,
        undefined,
      ]);
      expect(headers['vary']).toMatch(/origin/i);
    }
  });

  test('a script of a foreign origin can read that a path of the Integration API is unknown', async () => {
    for (const method of ['GET', 'POST'] as const) {
      const url = '/api/v1/integration/nothing';
      const answer = await suite.app.request({ method, url, headers: { origin: 'https://evil.example' } });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([404, '*']);
    }
  });

  test('CORS does not change the responses to unknown paths and methods', async () => {
    const sent = [
      { method: 'GET', url: '/nowhere', outcome: [404, 'ROUTE.NOT_FOUND'] },
      { method: 'PUT', url: '/api/v1/tenant/nothing', outcome: [404, 'ROUTE.NOT_FOUND'] },
      { method: 'PATCH', url: '/api/v1/tenant/products', outcome: [405, 'ROUTE.METHOD_NOT_ALLOWED'] },
    ] as const;
    for (const { method, url, outcome } of sent) {
      const answer = await suite.app.request({ method, url, headers: { ...suite.tenant.owner.auth, origin } });
      expect([answer.status, answer.body.error.code], url).toEqual(outcome);
    }
  });

  test.each([{}, { origin }, { origin, 'access-control-request-method': '' }])(
    'an OPTIONS request with %j gets an empty response instead of plain text',
    async (headers) => {
      const answer = await suite.app.request({ method: 'OPTIONS', url: '/health', headers });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({ 'x-service-api-version': '1', 'x-request-id': expect.any(String) });
    },
  );
});

describe('health', () => {
  test.each(['/health', '/health/ready'])('the route %s responds without credentials', async (url) => {
    const answer = await get(url);
    expect([answer.status, answer.body.data]).toEqual([200, { status: 'ok' }]);
  });

  test('without its database the process is healthy, not ready, and responds with 503 and Retry-After', async () => {
    const site = await createSite();
    const app = await startApp(site);
    onTestFinished(async () => {
      await restore();
      await stopApp(app);
      await site.remove();
    });
    const operator = await createAdmin(app);
    const restore = await cutPlatformDatabase(app);
    const read = (url: string) => app.request({ method: 'GET', url, headers: operator.auth });
    expect((await read('/health')).status).toBe(200);
    for (const url of ['/health/ready', '/api/v1/admin/tenants', '/api/v1/tenant/products', '/api/auth/me']) {
      const answer = await read(url);
      expect([answer.status, answer.body.error.code], url).toEqual([503, 'SERVICE.UNAVAILABLE']);
      expect(Number(answer.headers['retry-after']), url).toBeGreaterThan(0);
      expect(answer.text).not.toMatch(/sqlite|postgres|ECONN|terminat/i);
    }
    if (engine === 'sqlite') return;
    await restore();
    expect((await read('/health/ready')).status).toBe(200);
    expect((await read('/api/v1/admin/tenants')).status).toBe(200);
  });
});

test('/metrics counts requests by route and contains neither ids nor secrets', async () => {
  await suite.tenant.asApplication(`/licenses/${data.licenseKey}/validate`);
  await get(`/api/v1/admin/tenants/${suite.tenant.id}/licenses/${data.licenseId}`, suite.admin.auth);
  await get('/api/v1/tenant/products', { authorization: `Bearer service_${'0'.repeat(64)}` });
  const { status, headers, text } = await get('/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toContain('text/plain');
  expect(text).toMatch(/http_request_duration_seconds_count\{.*validate",status="200"\} \d/);
  for (const secret of [
    suite.tenant.apiKey,
    suite.tenant.owner.token,
    suite.admin.token,
    data.licenseKey,
    suite.tenant.id,
    data.licenseId,
  ]) {
    expect(text).not.toContain(secret);
  }
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7|vx_|service_[0-9a-f]|@example/);
});

describe('the documentation', () => {
  test('/openapi.json is OpenAPI 3.1 without an envelope and lists the routes of the service', async () => {
    const { status, body } = await get('/openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\.1/);
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/api/v1/tenant/products/{id}', '/api/v1/integration/licenses/{key}/validate']),
    );
  });

  test('/openapi.json is compressed as the client accepts it, and a client that has it gets 304', async () => {
    const plain = await suite.app.http.inject('/openapi.json');
    const tags = new Set<unknown>();
    for (const [accepted, encoding, decompress] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
      ['identity', undefined, (body: Buffer) => body],
    ] as const) {
      const headers = { 'accept-encoding': accepted };
      const answer = await suite.app.http.inject({ url: '/openapi.json', headers });
      expect(answer.headers).toMatchObject({
        'cache-control': 'public, no-cache',
        vary: expect.stringContaining('Accept-Encoding'),
      });
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect(decompress(answer.rawPayload).toString()).toBe(plain.body);
      // Readers load the whole document.
      if (encoding === 'br') expect(answer.rawPayload.length).toBeLessThanOrEqual(80_000);
      if (encoding !== undefined) expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
      const tag = String(answer.headers['etag']);
      expect(tag).toMatch(/^"[\w-]+"$/);
      tags.add(tag);
      const again = await suite.app.http.inject({
        url: '/openapi.json',
        headers: { ...headers, 'if-none-match': `"x", ${tag}` },
      });
      expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', tag]);
    }
    expect(tags.size).toBe(3);
  });
});

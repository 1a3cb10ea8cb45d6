import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { type Application, openApplication, registerApplication, unknownPageOf } from './built-application.ts';
import { createHttpServer } from './server.ts';

const parent = mkdtempSync(join(tmpdir(), 'licensing-dashboard-'));
const folder = join(parent, 'dist');
const page = '<!doctype html><head><meta property="csp-nonce" nonce="__CSP_NONCE__"><title>Licensing</title></head>';
/** The page without the nonce of one response. */
const withoutNonce = (html: string) => html.replace(/nonce="[\w-]{24}"/, 'nonce="__CSP_NONCE__"');
const script = 'console.log(1);'.repeat(100);
const logger = pino({ level: 'silent' });
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'gzip, br' };

function serverOf(dashboard: Application | null) {
  const unknownPage =
    dashboard === null ? undefined : unknownPageOf(dashboard, new Set(['api', 'openapi.json', 'portal-assets']));
  return createHttpServer({ logger, metrics: createMetrics(), trustProxy: false, https: false, unknownPage });
}

let app: ReturnType<typeof serverOf>;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(join(folder, '.stamp'), 'stamp');
  writeFileSync(
    join(folder, 'routes.json'),
    JSON.stringify({
      '/': [],
      '/login': [],
      '/licenses/:licenseId': [],
      '/licenses': ['assets/list-Cd34.js', 'assets/list-Ef56.css'],
    }),
  );
  writeFileSync(join(folder, 'assets', 'main-Ab12.js'), script);
  writeFileSync(join(folder, 'assets', 'main-Ab12.js.br'), brotliCompressSync(script));
  writeFileSync(join(folder, 'assets', 'main-Ab12.js.gz'), gzipSync(script));
  writeFileSync(join(parent, 'secret.txt'), 'kept apart');
  const dashboard = openApplication('dashboard', logger, folder);
  if (dashboard === null) throw new Error('the dashboard in the temporary folder was not opened.');
  app = serverOf(dashboard);
  await registerApplication(app, dashboard);
  app.post('/api/v1/things', () => 'posted');
  await app.ready();
});

afterAll(async () => {
  await app.close();
  rmSync(parent, { recursive: true, force: true });
});

describe('the dashboard', () => {
  it.each(['/', '/login', '/licenses/0199?tab=usage&status=active', '/licenses/a%20b'])(
    'sends its page, which is never cached, at %s',
    async (url) => {
      const response = await app.inject({ url, headers: browser });
      expect([response.statusCode, withoutNonce(response.body)]).toEqual([200, page]);
      expect(response.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
      });
    },
  );

  it('names in its page the files that a path needs, so that a browser loads them at once', async () => {
    const { body } = await app.inject({ url: '/licenses?status=active', headers: browser });
    expect(withoutNonce(body)).toBe(
      page.replace(
        '</head>',
        '<link rel="modulepreload" crossorigin href="/assets/list-Cd34.js"><link rel="stylesheet" crossorigin href="/assets/list-Ef56.css"></head>',
      ),
    );
  });

  it('allows only scripts of this service, and neither embedding, native forms nor HTML as text', async () => {
    const policy = String((await app.inject('/login')).headers['content-security-policy']);
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types default");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("form-action 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('gives each response a nonce of its own for style elements', async () => {
    const nonces = await Promise.all(
      ['/', '/', '/login', '/no-such-page'].map(async (url) => {
        const { headers, body } = await app.inject({ url, headers: browser });
        const nonce = /style-src 'self' 'nonce-([\w-]{24})'/.exec(String(headers['content-security-policy']))?.[1];
        expect(body).toContain(`nonce="${nonce}"`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(4);
  });

  it.each(['/no-such-page', '/licenses/0199/no/such/page', '/login/', '/webhook-endpointz', '/apis'])(
    'shows a browser its page with the status 404 at the unknown path %s',
    async (url) => {
      const response = await app.inject({ url, headers: browser });
      expect([response.statusCode, withoutNonce(response.body)]).toEqual([404, page]);
      expect(response.headers['cache-control']).toBe('no-store');
      const head = await app.inject({ method: 'HEAD', url, headers: browser });
      expect([head.statusCode, head.body]).toEqual([404, '']);
    },
  );

  it.each(['/api', '/api?x=1', '/api/v1/nothing', '/openapi.json'])(
    'leaves the unknown path %s, where no pages are, to the error envelope, for browsers too',
    async (url) => {
      const response = await app.inject({ url, headers: browser });
      expect([response.statusCode, response.json().error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
    },
  );

  it('sends programs the error envelope at unknown paths, and 405 for other methods', async () => {
    for (const accept of ['*/*', 'application/json', undefined]) {
      const response = await app.inject({ url: '/no-such-page', headers: accept === undefined ? {} : { accept } });
      expect([response.statusCode, response.json().error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
    }
    const posted = await app.inject({ method: 'POST', url: '/no-such-page', headers: browser });
    expect([posted.statusCode, posted.json().error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
    const login = await app.inject({ method: 'POST', url: '/login', headers: browser });
    expect([login.statusCode, login.headers.allow]).toEqual([405, 'GET, HEAD']);
    const things = await app.inject({ url: '/api/v1/things', headers: browser });
    expect([things.statusCode, things.headers.allow]).toEqual([405, 'POST']);
  });

  it.each(['br', 'gzip', undefined])(
    'sends assets with the encoding %s, for caches to keep for ever',
    async (encoding) => {
      const response = await app.inject({
        url: '/assets/main-Ab12.js',
        headers: { 'accept-encoding': encoding ?? 'identity' },
      });
      expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, encoding]);
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(response.headers['content-type']).toContain('javascript');
      expect(response.rawPayload.byteLength < script.length).toBe(encoding !== undefined);
    },
  );

  it('sends the files beside its page, which caches compare', async () => {
    const icon = await app.inject('/icon.svg');
    expect([icon.statusCode, icon.headers['cache-control']]).toEqual([200, 'no-cache']);
    expect(icon.headers['content-type']).toContain('image/svg+xml');
    const again = await app.inject({ url: '/icon.svg', headers: { 'if-none-match': String(icon.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it.each([
    '/.stamp',
    '/routes.json',
    '/index.html',
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%00',
    '/assets/',
  ])('keeps files outside its assets apart: %s', async (url) => {
    const response = await app.inject(url);
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.statusCode).toBeLessThan(500);
    expect(response.json().error.code).toMatch(/^((ROUTE|RESOURCE)\.NOT_FOUND|REQUEST\.MALFORMED)$/);
  });
});

describe('an application whose pages belong to something', () => {
  it('sends its page with the status 404 where that does not exist, and keeps its files in a folder of its own', async () => {
    const other = join(parent, 'portal');
    mkdirSync(join(other, 'portal-assets'), { recursive: true });
    writeFileSync(join(other, 'index.html'), page);
    writeFileSync(join(other, 'routes.json'), JSON.stringify({ '/portal/_preview': [], '/portal/:handle': [] }));
    writeFileSync(join(other, 'portal-assets', 'index-Ab12.js'), script);
    const [dashboard, portal] = [
      openApplication('dashboard', logger, folder),
      openApplication('portal', logger, other),
    ];
    if (dashboard === null || portal === null) throw new Error('an application was not opened.');
    const both = serverOf(dashboard);
    await registerApplication(both, dashboard);
    await registerApplication(both, portal, {
      exists: async ({ params }) => (params as { handle: string }).handle === 'acme',
      framedUrl: '/portal/_preview',
    });
    const statuses = await Promise.all(
      ['/portal/acme', '/portal/nobody'].map(async (url) => {
        const response = await both.inject({ url, headers: browser });
        expect([withoutNonce(response.body), response.headers['cache-control']]).toEqual([page, 'no-store']);
        expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'");
        return response.statusCode;
      }),
    );
    expect(statuses).toEqual([200, 404]);
    const preview = await both.inject({ url: '/portal/_preview', headers: browser });
    expect([preview.statusCode, preview.headers['x-frame-options']]).toEqual([200, 'SAMEORIGIN']);
    expect(preview.headers['content-security-policy']).toContain("frame-ancestors 'self'");
    for (const url of ['/portal-assets/index-Ab12.js', '/assets/main-Ab12.js']) {
      expect((await both.inject(url)).headers['cache-control']).toContain('immutable');
    }
    const missing = await both.inject({ url: '/portal-assets/none.js', headers: browser });
    expect([missing.statusCode, missing.json().error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
    await both.close();
  });
});

it('a service without a built dashboard warns, and responds with 404 to a browser', async () => {
  const warnings: unknown[] = [];
  const dashboard = openApplication(
    'dashboard',
    { warn: (text: unknown) => void warnings.push(text) },
    join(parent, 'none'),
  );
  expect(dashboard).toBeNull();
  expect(warnings).toEqual([expect.stringContaining('node scripts/dashboard.mjs')]);
  const unbuilt = serverOf(dashboard);
  expect((await unbuilt.inject({ url: '/', headers: browser })).json().error.code).toBe('ROUTE.NOT_FOUND');
  await unbuilt.close();
});

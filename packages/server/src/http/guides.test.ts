import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { registerGuides } from './guides.ts';
import { createHttpServer } from './server.ts';

const parent = mkdtempSync(join(tmpdir(), 'licensing-guides-'));
const folder = join(parent, 'dist');
const app = createHttpServer({
  logger: pino({ level: 'silent' }),
  metrics: createMetrics(),
  trustProxy: false,
  https: false,
});
const page = '<!doctype html><title>Webhooks</title>';
const module = 'go/licensing.example.com/sdk';
const downloads = [
  ['licensing-sdk.tgz', 'application/gzip'],
  ['licensing_sdk-1.0.0-py3-none-any.whl', 'application/octet-stream'],
  ['licensing-c-1.0.0.tar.gz', 'application/gzip'],
  [`${module}/@latest`, 'application/octet-stream'],
  [`${module}/@v/list`, 'application/octet-stream'],
  [`${module}/@v/v1.0.0.info`, 'application/octet-stream'],
  [`${module}/@v/v1.0.0.mod`, 'application/octet-stream'],
  [`${module}/@v/v1.0.0.zip`, 'application/zip'],
] as const;
const download = Buffer.from([0x1f, 0x8b, 0, 0xff]);
const browser = { accept: 'text/html,*/*', 'accept-encoding': 'gzip, br' };

function decoded(body: Buffer, encoding: string | undefined): string {
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString();
}

function write(name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  writeFileSync(`${path}.br`, brotliCompressSync(text));
  writeFileSync(`${path}.gz`, gzipSync(text));
}

beforeAll(async () => {
  write('index.html', '<!doctype html><title>Overview</title>');
  write('404.html', '<!doctype html><title>No such page</title>');
  write('webhooks/index.html', page);
  write('quickstart/index.html', '<code>curl http://127.0.0.1:3000/health</code>');
  for (const name of ['quickstart/index.md', 'llms.txt', 'search-index.json']) {
    write(name, 'curl http://127.0.0.1:3000/health');
  }
  write('assets/site-Ab12.css', 'body { margin: 0 }');
  mkdirSync(join(folder, 'downloads', module, '@v'), { recursive: true });
  for (const [name] of downloads) writeFileSync(join(folder, 'downloads', name), download);
  writeFileSync(join(folder, '.stamp'), 'stamp');
  writeFileSync(join(parent, 'secret.txt'), 'kept apart');
  await registerGuides(app, { publicUrl: 'https://licenses.example.com/a&b', folder });
  app.get('/docs-and-more', () => 'other');
  await app.ready();
});

afterAll(async () => {
  await app.close();
  rmSync(parent, { recursive: true, force: true });
});

describe('the site at /docs', () => {
  it.each([
    ['/docs', '/docs/'],
    ['/docs/models/air-gapped/', '/docs/offline/'],
    ['/docs/webhooks', '/docs/webhooks/'],
  ])('%s redirects to %s', async (url, location) => {
    const response = await app.inject({ url, headers: browser });
    expect([response.statusCode, response.headers.location]).toEqual([301, location]);
  });

  it.each(['br', 'gzip', undefined])('sends a page with the encoding %s that the caller accepts', async (encoding) => {
    const response = await app.inject({
      url: '/docs/webhooks/',
      headers: { 'accept-encoding': encoding ?? 'identity' },
    });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(response.headers.vary).toMatch(/accept-encoding/i);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(decoded(response.rawPayload, encoding)).toBe(page);
  });

  it('allows only resources of this service, and nothing inline', async () => {
    const policy = String((await app.inject('/docs/webhooks/')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
  });

  it('keeps assets in caches for ever, and pages only until they change', async () => {
    const asset = await app.inject('/docs/assets/site-Ab12.css');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const first = await app.inject('/docs/webhooks/');
    expect(first.headers['cache-control']).toBe('public, no-cache');
    const again = await app.inject({
      url: '/docs/webhooks/',
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it.each(downloads)('sends the download %s byte by byte, and again only when it has changed', async (name, type) => {
    const first = await app.inject({ url: `/docs/downloads/${name}`, headers: browser });
    expect(first.statusCode).toBe(200);
    expect(first.headers).toMatchObject({
      'content-type': type,
      'content-length': String(download.length),
      'cache-control': 'no-cache',
    });
    expect(first.headers).not.toHaveProperty('content-encoding');
    expect(first.rawPayload).toEqual(download);
    const headers = { 'if-none-match': String(first.headers.etag) };
    expect((await app.inject({ url: `/docs/downloads/${name}`, headers })).statusCode).toBe(304);
  });

  it.each(['br', 'gzip', undefined])('a page names the PUBLIC_URL, with the encoding %s', async (encoding) => {
    const response = await app.inject({
      url: '/docs/quickstart/',
      headers: { 'accept-encoding': encoding ?? 'identity' },
    });
    expect(decoded(response.rawPayload, encoding)).toBe(
      '<code>curl https://licenses.example.com/a&amp;b/health</code>',
    );
  });

  it.each([
    ['/docs/quickstart/index.md', 'text/markdown; charset=utf-8'],
    ['/docs/llms.txt', 'text/plain; charset=utf-8'],
    ['/docs/search-index.json', 'application/json; charset=utf-8'],
  ])('%s names the PUBLIC_URL too', async (url, type) => {
    const response = await app.inject(url);
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, type]);
    expect(response.body).toBe('curl https://licenses.example.com/a&b/health');
  });

  it('responds to HEAD without a body', async () => {
    const response = await app.inject({ method: 'HEAD', url: '/docs/webhooks/' });
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(response.headers['content-length']).toBe(String(page.length));
  });

  it('shows browsers a page that is never cached for an unknown path', async () => {
    const response = await app.inject({ url: '/docs/no/such/page', headers: { accept: 'text/html' } });
    expect([response.statusCode, response.headers['cache-control']]).toEqual([404, 'no-store']);
    expect(response.body).toContain('No such page');
  });

  it.each([
    '/docs/no-such-page',
    `/docs/downloads/${module}/@v/v9.0.0.info`,
    '/docs/downloads/go/github.com/other/module/@v/list',
    '/docs/assets/none.css',
    '/docs/.stamp',
    '/docs/assets/',
    '/docs/secret.txt',
  ])('sends programs the envelope for %s', async (url) => {
    const response = await app.inject(url);
    expect([response.statusCode, response.json().error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
  });

  it.each([
    '/docs/../secret.txt',
    '/docs/%2e%2e/secret.txt',
    '/docs/..%2fsecret.txt',
    '/docs/..%5csecret.txt',
    '/docs/assets/%2e%2e/%2e%2e/secret.txt',
    '/docs//../secret.txt',
    '/docs/%00',
    '/docs/assets/..%252f..%252fsecret.txt',
  ])('no path leaves the folder: %s', async (url) => {
    const response = await app.inject(url);
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.statusCode).toBeLessThan(500);
    expect(response.body).not.toContain('kept apart');
    expect(response.json().error.code).toMatch(/^((ROUTE|RESOURCE)\.NOT_FOUND|REQUEST\.MALFORMED)$/);
  });

  it('another method gets 405, and other paths keep their own policy', async () => {
    const posted = await app.inject({ method: 'POST', url: '/docs/webhooks/' });
    expect([posted.statusCode, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
    const other = await app.inject('/docs-and-more');
    expect(other.headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  });
});

it('a service without a built site responds with 404 and serves everything else', async () => {
  const unbuilt = createHttpServer({
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    trustProxy: false,
    https: false,
  });
  await registerGuides(unbuilt, { publicUrl: 'http://127.0.0.1:3000', folder: join(parent, 'none') });
  expect((await unbuilt.inject('/docs/')).statusCode).toBe(404);
  await unbuilt.close();
});

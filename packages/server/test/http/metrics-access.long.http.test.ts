import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';

const token = 'scrape-token-0123456789';
const [outside] = Object.values(networkInterfaces())
  .flat()
  .filter((address) => address !== undefined && address.family === 'IPv4' && !address.internal);

/** Starts a service until the end of the test. */
async function start(env: NodeJS.ProcessEnv): Promise<TestApp> {
  const site = await createSite();
  const app = await startApp(site, env);
  onTestFinished(async () => {
    await stopApp(app);
    await site.remove();
  });
  return app;
}

function read(app: TestApp, headers: Record<string, string> = {}) {
  return app.request({ method: 'GET', url: '/metrics', headers });
}

async function expectRefusal(app: TestApp, headers: Record<string, string> = {}): Promise<void> {
  const { status, body } = await read(app, headers);
  expect([status, body.error.code]).toEqual([403, 'METRICS.ACCESS_DENIED']);
  expect(body.error.message).toMatch(/set METRICS_TOKEN .* or set METRICS_PORT/);
  expect(body.meta).toMatchObject({ request_id: expect.any(String), api_version: '1' });
}

describe('without METRICS_TOKEN and METRICS_PORT', () => {
  test('/metrics is open on a loopback HOST, except to requests that passed a proxy', async () => {
    for (const TRUST_PROXY of ['', 'loopback']) {
      const app = await start({ HOST: '127.0.0.1', TRUST_PROXY });
      expect((await read(app)).status).toBe(200);
      await expectRefusal(app, { 'x-forwarded-for': '203.0.113.5' });
      // A proxy that passes on what the client claims, instead of adding its address.
      await expectRefusal(app, { 'x-forwarded-for': '127.0.0.1' });
      await expectRefusal(app, { forwarded: 'for=127.0.0.1' });
      const address = await app.listen();
      expect((await fetch(`${address}/metrics`)).status).toBe(200);
    }
  });

  test.for(['0.0.0.0', '::', '192.0.2.1'])('/metrics is refused on HOST %s', async (HOST) => {
    await expectRefusal(await start({ HOST }));
  });

  test('/metrics is refused on HOST 0.0.0.0 over the loopback address and over another one', async () => {
    const app = await start({ HOST: '0.0.0.0' });
    const { port } = new URL(await app.listen());
    for (const host of ['127.0.0.1', ...(outside === undefined ? [] : [outside.address])]) {
      const response = await fetch(`http://${host}:${port}/metrics`);
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { error: { code: 'METRICS.ACCESS_DENIED' } },
      ]);
    }
  });
});

describe('with METRICS_TOKEN', () => {
  test('/metrics requires the token on every HOST, and the scheme is case-insensitive', async () => {
    for (const HOST of ['127.0.0.1', '0.0.0.0']) {
      const app = await start({ HOST, METRICS_TOKEN: token });
      app.secrets.note(token);
      expect((await read(app, { authorization: `Bearer ${token}` })).status).toBe(200);
      expect((await read(app, { authorization: `bearer ${token}` })).status).toBe(200);
      const wrong = ['', token, `Basic ${token}`, 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`];
      for (const authorization of wrong) {
        const { status, headers, body } = await read(app, { authorization });
        expect([status, body.error.code], authorization).toEqual([401, 'AUTH.INVALID_TOKEN']);
        expect(headers['www-authenticate']).toBe('Bearer');
      }
      expect((await read(app)).status).toBe(401);
    }
  });

  test('the token can be in the file that METRICS_TOKEN_FILE names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'metrics-token-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'token'), `${token}\n`);
    const app = await start({ HOST: '0.0.0.0', METRICS_TOKEN_FILE: join(folder, 'token') });
    expect((await read(app, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await read(app)).status).toBe(401);
  });
});

describe('with METRICS_PORT', () => {
  test('only that port has /metrics, it has nothing else, and it is closed with the service', async () => {
    const site = await createSite();
    const app = await startApp(site, { METRICS_PORT: '0' });
    const address = await app.listen();
    const metrics = app.metricsHttp?.listeningOrigin;
    expect(metrics).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(metrics).not.toBe(address);
    const main = await fetch(`${address}/metrics`);
    expect([main.status, await main.json()]).toMatchObject([404, { error: { code: 'ROUTE.NOT_FOUND' } }]);
    const scraped = await fetch(`${metrics}/metrics`);
    expect(scraped.status).toBe(200);
    expect(await scraped.text()).toContain('http_request_duration_seconds_count');
    for (const path of ['/', '/health', '/api/v1/plans', '/openapi.json']) {
      const response = await fetch(`${metrics}${path}`);
      expect([response.status, await response.json()], path).toMatchObject([
        404,
        { error: { code: 'ROUTE.NOT_FOUND' } },
      ]);
    }
    await stopApp(app);
    await site.remove();
    await expect(fetch(`${metrics}/metrics`)).rejects.toThrow();
  });

  test('a HOST that other machines reach needs no token, because only the port is open, but may have one', async () => {
    const open = await start({ HOST: '0.0.0.0', METRICS_PORT: '0' });
    expect((await open.metricsHttp?.inject('/metrics'))?.statusCode).toBe(200);
    const closed = await start({ METRICS_PORT: '0', METRICS_TOKEN: token });
    expect((await closed.metricsHttp?.inject('/metrics'))?.statusCode).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await closed.metricsHttp?.inject({ url: '/metrics', headers }))?.statusCode).toBe(200);
  });

  test('a METRICS_PORT in use ends the start with a message that names the variable', async () => {
    const first = await start({ METRICS_PORT: '0' });
    await first.listen();
    const { port } = new URL(first.metricsHttp?.listeningOrigin ?? '');
    const second = await start({ METRICS_PORT: port });
    await expect(second.listen()).rejects.toThrow(
      `Port ${port} is in use: stop the program that listens on it, or set another METRICS_PORT.`,
    );
  });
});

test('no sample of the first and of the next scrape is NaN or infinite', async () => {
  const app = await start({});
  for (let scrape = 1; scrape <= 3; scrape += 1) {
    const { text } = await read(app);
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(samples.length).toBeGreaterThan(50);
    const values = samples.map((line) => ({ line, value: Number(line.slice(line.lastIndexOf(' ') + 1)) }));
    expect(values.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
    const lags = values.filter(({ line }) => line.startsWith('nodejs_eventloop_lag'));
    expect(lags).toHaveLength(8);
    // Without a recorded delay, the histogram's own minimum is 292 years.
    for (const { line, value } of lags) expect(value, line).toBeLessThan(3600);
  }
});

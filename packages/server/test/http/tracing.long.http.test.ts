import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { createBackgroundJobs } from '../../src/background.ts';
import { fullVersion } from '../../src/version.ts';
import { createAdmin, createTenant, useTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';

/** A collector: receives OTLP over HTTP. */
const received: { url: string | undefined; key: unknown; body: Buffer }[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ url: request.url, key: request.headers['api-key'], body: Buffer.concat(chunks) });
    response.end();
  });
});

const collectorUrl = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

const suite = useTenant(async () => {
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl(),
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector%20secret',
  };
});

afterAll(() => void collector.close());

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
/** Returns true once the collector has a message that contains all of these bytes. */
const has = (...parts: readonly (string | Buffer)[]) =>
  eventually(() => expect(received.some(({ body }) => parts.every((part) => body.includes(part)))).toBe(true));

test("a request in a caller's trace sends a span of that trace, with its route, tenant, credential and build and without secrets", async () => {
  const { app, tenant } = suite;
  const { key } = await newLicense(tenant);
  const answer = await app.request({
    method: 'POST',
    url: `/api/v1/integration/licenses/${key}/validate`,
    headers: { 'x-api-key': tenant.apiKey, traceparent: `00-${traceId}-${parentId}-01` },
  });
  expect(answer.status).toBe(200);
  const [, sameTrace, spanId = '', flags] = String(answer.headers['traceparent']).split('-');
  expect([sameTrace, flags]).toEqual([traceId, '01']);
  await has(
    Buffer.from(traceId, 'hex'),
    Buffer.from(parentId, 'hex'),
    Buffer.from(spanId, 'hex'),
    'POST /api/v1/integration/licenses/:key/validate',
    tenant.id,
    tenant.apiKeyId,
    String(answer.headers['x-request-id']),
    fullVersion,
  );
  expect(received.every(({ url, key: sent }) => url === '/v1/traces' && sent === 'collector secret')).toBe(true);
  for (const secret of [key, tenant.apiKey]) expect(received.some(({ body }) => body.includes(secret))).toBe(false);
});

test('a request without a trace, or with a malformed one, begins a trace', async () => {
  for (const traceparent of [undefined, `00-${traceId}-0000000000000000-01`]) {
    const headers = traceparent === undefined ? {} : { traceparent };
    const answer = await suite.app.request({ method: 'GET', url: '/health', headers });
    const [, begun = '', spanId = ''] = String(answer.headers['traceparent']).split('-');
    expect(begun).not.toBe(traceId);
    await has(Buffer.from(begun, 'hex'), Buffer.from(spanId, 'hex'), 'GET /health');
  }
});

test('a trace that its caller does not record is continued and not sent', async () => {
  const unrecorded = 'a'.repeat(32);
  const headers = { traceparent: `00-${unrecorded}-${parentId}-00` };
  const answer = await suite.app.request({ method: 'GET', url: '/health', headers });
  expect(answer.headers['traceparent']).toMatch(new RegExp(`^00-${unrecorded}-[\\da-f]{16}-00$`));
  const later = await suite.app.request({ method: 'GET', url: '/health' });
  await has(Buffer.from(String(later.headers['traceparent']).split('-')[1] ?? '', 'hex'));
  expect(received.some(({ body }) => body.includes(Buffer.from(unrecorded, 'hex')))).toBe(false);
});

test('background jobs send spans with their kind and result', async () => {
  const { runner, sweep } = createBackgroundJobs(suite.app.services);
  await sweep.sweepNext();
  await runner.runDue();
  await has('job ', 'licensing.job.result', 'done');
});

test('a collector that cannot be reached changes no response, and is logged once', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  const tenant = await createTenant(app, await createAdmin(app));
  for (let count = 0; count < 50; count += 1) expect((await tenant.asOwner('GET', '/licenses')).status).toBe(200);
  await stopApp(app);
  expect(app.secrets.linesWith('sending traces failed').length).toBeLessThanOrEqual(1);
});

test('what a stopped service has not sent yet is sent before it ends', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site, { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl() });
  const answer = await app.request({ method: 'GET', url: '/health' });
  await stopApp(app);
  const trace = Buffer.from(String(answer.headers['traceparent']).split('-')[1] ?? '', 'hex');
  expect(received.some(({ body }) => body.includes(trace))).toBe(true);
});

import { expect, test, vi } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { cutPlatformDatabase } from '../support/outage.ts';

const suite = useTenant({ CORS_ORIGINS: 'https://app.example.com' });
const finished = '"msg":"request finished"';

/** Returns the log line of the request with this id, once it is written. */
async function lineOf(requestId: string) {
  const find = () => suite.app.secrets.linesWith(finished).find((line) => line.request_id === requestId);
  await vi.waitFor(() => expect(find()).toBeDefined());
  return find();
}

async function send(url: string, headers: Record<string, string> = {}) {
  const answer = await suite.app.request({ method: 'GET', url, headers });
  return { answer, line: await lineOf(String(answer.headers['x-request-id'])) };
}

test('the log line of a request names its tenant and its API key', async () => {
  const { tenant } = suite;
  const { key } = await newLicense(tenant);
  const answer = await tenant.asApplication(`/licenses/${key}/validate`);
  expect(answer.status).toBe(200);
  const keys = await tenant.asOwner('GET', '/api-keys');
  expect(await lineOf(String(answer.headers['x-request-id']))).toMatchObject({
    tenant_id: tenant.id,
    credential_id: keys.body.data[0].id,
  });
});

test('the log line of a user names the tenant and the session, and that of an access token the token', async () => {
  const { tenant } = suite;
  const answer = await tenant.asOwner('GET', '/licenses');
  const line = await lineOf(String(answer.headers['x-request-id']));
  const sessions = await suite.app.request({
    method: 'GET',
    url: '/api/v1/account/sessions',
    headers: { ...tenant.owner.auth },
  });
  const current = sessions.body.data.find((session: { current: boolean }) => session.current);
  expect(line).toMatchObject({ tenant_id: tenant.id, credential_id: current.id });

  const made = await tenant.asOwner('POST', '/access-tokens', { name: 'Build', role: 'viewer' });
  const { token, id } = made.body.data;
  const byToken = await send('/api/v1/tenant/licenses', { authorization: `Bearer ${token}` });
  expect(byToken.line).toMatchObject({ status: 200, tenant_id: tenant.id, credential_id: id });
});

test('the log line of an administrator names the tenant of the path', async () => {
  const { line } = await send(`/api/v1/admin/tenants/${suite.tenant.id}/licenses`, suite.admin.auth);
  expect(line).toMatchObject({ status: 200, tenant_id: suite.tenant.id, credential_id: expect.any(String) });
});

test('the log line of a refused credential names neither a tenant nor a credential', async () => {
  const { line } = await send('/api/v1/tenant/licenses', { authorization: `Bearer service_${'0'.repeat(64)}` });
  expect(line).toMatchObject({ status: 401 });
  expect(Object.keys(line)).not.toContain('tenant_id');
  expect(Object.keys(line)).not.toContain('credential_id');
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

test("a request with traceparent is logged with the caller's trace, and its response has the trace and a span of the service", async () => {
  const { answer, line } = await send('/health', { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  expect(answer.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
  const spanId = String(answer.headers['traceparent']).split('-')[2];
  expect(spanId).not.toBe('00f067aa0ba902b7');
  expect(line).toMatchObject({ trace_id: traceId, span_id: spanId });
});

test('without tracing, a request without traceparent, or with a malformed one, belongs to no trace', async () => {
  for (const headers of [{}, { traceparent: `00-${traceId}-0000000000000000-01` }]) {
    const { answer, line } = await send('/health', headers);
    expect(answer.status).toBe(200);
    expect(answer.headers['traceparent']).toBeUndefined();
    expect(line.trace_id).toBeUndefined();
  }
});

test('a script of an allowed origin may send traceparent and read it', async () => {
  const { headers } = await suite.app.request({
    method: 'OPTIONS',
    url: '/api/v1/tenant/licenses',
    headers: {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'traceparent',
    },
  });
  expect(headers['access-control-allow-headers']).toContain('traceparent');
  const { answer } = await send('/api/v1/tenant/licenses', { origin: 'https://app.example.com' });
  expect(answer.headers['access-control-expose-headers']).toContain('traceparent');
});

test('an outage logs its cause once per second in full, and the other failures as a number', async () => {
  const { app, tenant } = suite;
  // The last test: the embedded database stays closed.
  const restore = await cutPlatformDatabase(app);
  const requests = 40;
  try {
    const statuses = await Promise.all(
      Array.from({ length: requests }, async () => (await tenant.asOwner('GET', '/licenses')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([503]));
  } finally {
    await restore();
  }
  const inFull = () => app.secrets.linesWith('request failed because a database is unavailable');
  const counted = () => app.secrets.linesWith('more requests failed with this cause in the last second');
  const total = () => inFull().length + counted().reduce((sum, { count }) => sum + count, 0);
  await vi.waitFor(() => expect(total()).toBe(requests), { timeout: 10_000 });
  expect(inFull().length).toBeLessThan(requests / 4);
  expect(inFull()[0]).toMatchObject({ error: { stack: expect.any(String) } });
});

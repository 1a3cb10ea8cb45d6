import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { useTenant } from '../support/accounts.ts';
import { engine } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { cutPlatformDatabase } from '../support/outage.ts';

const suite = useTenant({ CORS_ORIGINS: 'https://app.example.com' });
const finished = '"msg":"request finished"';

/** Returns the log line of the request with this id, once it is written. */
async function lineOf(requestId: string) {
  const find = () => suite.app.secrets.linesWith(finished).find((line) => line.request_id === requestId);
  await eventually(() => expect(find()).toBeDefined());
  return find();
}

async function send(url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') {
  const answer = await suite.app.request({ method, url, headers });
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

test('the log line of a validation has its verdict, its license and the address of the client', async () => {
  const { tenant } = suite;
  const { id, key } = await newLicense(tenant);
  const lineFor = async (licenseKey: string) => {
    const answer = await tenant.asApplication(`/licenses/${licenseKey}/validate`);
    return await lineOf(String(answer.headers['x-request-id']));
  };
  expect(await lineFor(key)).toMatchObject({ code: 'LICENSE.VALID', license_id: id, address: '127.0.0.1' });
  await tenant.asOwner('POST', `/licenses/${id}/suspend`);
  expect(await lineFor(key)).toMatchObject({ status: 200, code: 'LICENSE.SUSPENDED', license_id: id });
  const unknown = await lineFor('AAAAA-BBBBB');
  expect(unknown).toMatchObject({ status: 200, code: 'LICENSE.NOT_FOUND' });
  expect(Object.keys(unknown)).not.toContain('license_id');
});

test('the log says why a credential was refused, and whose it was if it was revoked or has expired', async () => {
  const { tenant } = suite;
  const check = (key?: string) =>
    send('/api/v1/integration/licenses/none/validate', key === undefined ? {} : { 'x-api-key': key }, 'POST');
  const make = async (fields: object) =>
    (await tenant.asOwner('POST', '/api-keys', { name: 'Ends', ...fields })).body.data;
  const revoked = await make({});
  await tenant.asOwner('DELETE', `/api-keys/${revoked.id}`);
  const refusal = { status: 401, code: 'AUTH.INVALID_API_KEY', address: '127.0.0.1' };
  expect((await check()).line).toMatchObject({ ...refusal, reason: 'missing' });
  expect((await check('vx_1')).line).toMatchObject({ ...refusal, reason: 'malformed' });
  expect((await check(`vx_${'0'.repeat(64)}`)).line).toMatchObject({ ...refusal, reason: 'unknown' });
  const whose = { tenant_id: tenant.id, credential_id: revoked.id };
  expect((await check(revoked.key)).line).toMatchObject({ ...refusal, reason: 'revoked', ...whose });
  expect((await send('/api/v1/tenant/licenses')).line).toMatchObject({ code: 'AUTH.INVALID_TOKEN', reason: 'missing' });
  const asUser = await send('/api/v1/admin/tenants', suite.tenant.owner.auth);
  expect(asUser.line).toMatchObject({ status: 401, reason: 'other_account' });
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

test('an outage logs its cause in full, and the other failures as a number', async () => {
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
  const { secrets } = app;
  if (engine === 'postgres') {
    const ended = () => secrets.linesWith('an outage ended');
    while (ended().length === 0) await delay(50);
    expect(ended().reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(requests);
    const began = secrets.linesWith('an outage began');
    expect(began[0]).toMatchObject({ level: 50, err: { stack: expect.any(String) } });
    return;
  }
  const inFull = () => secrets.linesWith('request failed because a database is unavailable');
  const counted = () => secrets.linesWith('more requests failed with this cause in the last second');
  const total = () => inFull().length + counted().reduce((sum, { count }) => sum + count, 0);
  while (total() < requests) await delay(50);
  expect(total()).toBe(requests);
  expect(inFull().length).toBeLessThan(requests / 4);
  expect(inFull()[0]).toMatchObject({ err: { stack: expect.any(String) } });
});

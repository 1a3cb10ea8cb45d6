import { describe, expect, test } from 'vitest';
import { bothSurfaces, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

async function auditOf(keyId: string) {
  const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${keyId}`);
  return body.data.map((record: { event: string }) => record.event);
}

describe.each(bothSurfaces(suite))('API keys through the $surface surface', ({ prefix, auth, suffix, surface }) => {
  const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) =>
    suite.app.request({ method, url: prefix() + path, headers: auth(), ...(payload && { payload }) });

  test('a created API key has the exact shape, is shown only in the response, and works', async () => {
    const created = await send('POST', '/api-keys', { name: 'CI' });
    expect(created.status).toBe(201);
    expect(created.headers['cache-control']).toBe('no-store');
    expect(Object.keys(created.body.data).slice(0, 5)).toEqual(['id', 'name', 'key', 'status', 'created_at']);
    expect(created.body.data).toMatchObject({ name: 'CI', status: 'active', expires_at: null, last_used_at: null });
    expect(created.body.data.key).toMatch(/^vx_[0-9a-f]{64}$/);
    expect(created.body.data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(created.body.data.created_by).toEqual({
      type: surface === 'admin' ? 'admin' : 'user',
      id: expect.any(String),
    });

    const { id, key, hint } = created.body.data;
    expect(hint).toBe(`${key.slice(0, 7)}…${key.slice(-4)}`);
    const listed = await send('GET', '/api-keys?limit=100');
    const inList = listed.body.data.find((row: { id: string }) => row.id === id);
    expect(inList).toMatchObject({ id, name: 'CI', status: 'active' });
    expect(listed.text).not.toContain(key);
    const verdict = await validateWith(key);
    expect(verdict.status).toBe(200);
    expect(await auditOf(id)).toEqual([`API_KEY.CREATED${suffix}`]);
  });

  test('the limits of a created API key are shown wherever the key is read, and audited', async () => {
    const limits = { rate_limit_per_minute: 600, rate_limit_per_address_per_minute: 30 };
    const { status, body } = await send('POST', '/api-keys', { name: 'Shipped', scopes: ['usage:write'], ...limits });
    expect([status, body.data]).toEqual([201, expect.objectContaining(limits)]);
    const { id } = body.data;
    const listed = await send('GET', '/api-keys?limit=100');
    expect(listed.body.data.find((row: { id: string }) => row.id === id)).toMatchObject(limits);
    expect((await suite.tenant.asOwner('GET', `/api-keys/${id}`)).body.data).toMatchObject(limits);
    const audit = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${id}`);
    expect(audit.body.data[0].changes).toEqual([
      { field: 'name', old: null, new: 'Shipped' },
      { field: 'scopes', old: null, new: ['usage:write'] },
      { field: 'allowed_cidrs', old: null, new: [] },
      { field: 'rate_limit_per_minute', old: null, new: 600 },
      { field: 'rate_limit_per_address_per_minute', old: null, new: 30 },
    ]);
    const unlimited = await send('POST', '/api-keys', { name: 'CI', rate_limit_per_address_per_minute: null });
    expect(unlimited.body.data.rate_limit_per_address_per_minute).toBeNull();
  });

  test('a revoked API key is refused from the next request on, and a repeated revocation is audited once', async () => {
    const { id, key } = (await send('POST', '/api-keys', { name: 'Short life' })).body.data;
    expect((await validateWith(key)).status).toBe(200);
    for (let time = 0; time < 2; time += 1) {
      const revoked = await send('DELETE', `/api-keys/${id}`);
      expect(revoked.status).toBe(200);
      expect(revoked.body.data).toEqual({ deleted: true, id });
      const refused = await validateWith(key);
      expect(refused.status).toBe(401);
      expect(refused.body.error.code).toBe('AUTH.INVALID_API_KEY');
    }
    expect(await auditOf(id)).toEqual([`API_KEY.REVOKED${suffix}`, `API_KEY.CREATED${suffix}`]);
    const listed = await send('GET', '/api-keys?status=revoked&limit=100');
    expect(listed.body.data.map((row: { id: string }) => row.id)).toContain(id);
  });

  test('a replaced API key works beside its replacement until the overlap ends, and both are listed meanwhile', async () => {
    const limits = { scopes: ['licenses:validate'], allowed_cidrs: ['127.0.0.0/8'], rate_limit_per_minute: 600 };
    const old = (await send('POST', '/api-keys', { name: 'Editor 5', ...limits })).body.data;
    const replaced = await send('POST', `/api-keys/${old.id}/rotate`, { overlap_seconds: 3600 });
    expect([replaced.status, replaced.headers['cache-control']]).toEqual([201, 'no-store']);
    const { id, key, hint } = replaced.body.data;
    expect(replaced.body.data).toMatchObject({ name: 'Editor 5', status: 'active', expires_at: null, ...limits });
    expect([id === old.id, key === old.key]).toEqual([false, false]);
    const active = (await send('GET', '/api-keys?status=active&limit=100')).body.data;
    expect(active.map((row: { hint: string }) => row.hint)).toEqual(expect.arrayContaining([hint, old.hint]));
    clock.advance(3_599_000);
    expect([(await validateWith(old.key)).status, (await validateWith(key)).status]).toEqual([200, 200]);
    clock.advance(2_000);
    expect([(await validateWith(old.key)).status, (await validateWith(key)).status]).toEqual([401, 200]);
    expect(await auditOf(old.id)).toEqual([`API_KEY.ROTATED${suffix}`, `API_KEY.CREATED${suffix}`]);
    expect(await auditOf(id)).toEqual([`API_KEY.CREATED${suffix}`]);
    const audit = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${old.id}`);
    expect(audit.body.data[0].changes).toEqual([
      { field: 'expires_at', old: null, new: expect.any(String) },
      { field: 'replaced_by', old: null, new: id },
    ]);
  });

  test('the replacement of an API key with an end in the past is refused and changes nothing', async () => {
    const { id, key } = (await send('POST', '/api-keys', { name: 'Kept' })).body.data;
    const refused = await send('POST', `/api-keys/${id}/rotate`, { expires_at: '2020-01-01T00:00:00Z' });
    expect([refused.status, badFields(refused)]).toEqual([422, ['expires_at']]);
    expect((await validateWith(key)).status).toBe(200);
    expect(await auditOf(id)).toEqual([`API_KEY.CREATED${suffix}`]);
  });

  test.each([
    ['an invalid network', { allowed_cidrs: ['10.0.0.0/33'] }, 'allowed_cidrs.0'],
    ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ])('the creation of an API key with %s is refused', async (_problem, fields, field) => {
    const refused = await send('POST', '/api-keys', { name: 'A', ...fields });
    expect([refused.status, badFields(refused)]).toEqual([422, [field]]);
  });
});

function validateWith(key: string, options: { path?: string; address?: string } = {}) {
  return suite.app.request({
    method: 'POST',
    url: `/api/v1/integration${options.path ?? '/licenses/UNKNOWN/validate'}`,
    headers: { 'x-api-key': key },
    ...(options.address && { remoteAddress: options.address }),
  });
}

const createKey = async (fields: object) =>
  (await suite.tenant.asOwner('POST', '/api-keys', { name: 'Key', ...fields })).body.data;

test('a single API key can be read through the tenant surface but not through the admin surface', async () => {
  const { id } = await createKey({});
  expect((await suite.tenant.asOwner('GET', `/api-keys/${id}`)).body.data.id).toBe(id);
  const refused = await suite.asAdmin('GET', `/tenants/${suite.tenant.id}/api-keys/${id}`);
  expect(refused.status).toBe(405);
  expect(refused.headers['allow']).toBe('DELETE, PUT');
});

const rotate = (id: string, payload: object, headers = {}) =>
  suite.app.request({
    method: 'POST',
    url: `/api/v1/tenant/api-keys/${id}/rotate`,
    headers: { ...suite.tenant.owner.auth, ...headers },
    payload,
  });

test('an overlap of zero ends the old API key with the replacement, and without one both work for a day', async () => {
  const first = await createKey({});
  const second = (await rotate(first.id, { overlap_seconds: 0 })).body.data;
  expect([(await validateWith(first.key)).status, (await validateWith(second.key)).status]).toEqual([401, 200]);
  const third = (await rotate(second.id, {})).body.data;
  clock.advance(86_399_000);
  expect((await validateWith(second.key)).status).toBe(200);
  clock.advance(2_000);
  expect([(await validateWith(second.key)).status, (await validateWith(third.key)).status]).toEqual([401, 200]);
});

test('a replacement never prolongs an API key, and ends itself only if it is told to', async () => {
  const soon = new Date(Date.now() + 60_000).toISOString();
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const old = await createKey({ expires_at: soon });
  expect((await rotate(old.id, { overlap_seconds: 600 })).body.data.expires_at).toBeNull();
  const ending = (await rotate(old.id, { overlap_seconds: 600, expires_at: later })).body.data;
  expect(new Date(ending.expires_at).toISOString()).toBe(later);
  const { expires_at } = (await suite.tenant.asOwner('GET', `/api-keys/${old.id}`)).body.data;
  expect(new Date(expires_at).toISOString()).toBe(soon);
});

test('a revoked or unknown API key cannot be replaced', async () => {
  const { id } = await createKey({});
  await suite.tenant.asOwner('DELETE', `/api-keys/${id}`);
  const revoked = await rotate(id, {});
  expect([revoked.status, revoked.body.error.code]).toEqual([409, 'API_KEY.REVOKED']);
  const unknown = await rotate('01890000-0000-7000-8000-000000000000', {});
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'RESOURCE.NOT_FOUND']);
});

test('concurrent replacements with one Idempotency-Key create one key, which only the first response contains', async () => {
  const { id } = await createKey({ name: 'Once' });
  const headers = { 'idempotency-key': 'replace-once' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id, { overlap_seconds: 60 }, headers)));
  const settled = answers.filter(({ status }) => status === 201);
  expect(settled.filter(({ body }) => body.data.key !== null)).toHaveLength(1);
  const { body } = await suite.tenant.asOwner('GET', '/api-keys?limit=100');
  expect(body.data.filter(({ name }: { name: string }) => name === 'Once')).toHaveLength(2);
});

test('an expired API key is refused and shown as expired', async () => {
  const { id, key } = await createKey({ expires_at: new Date(Date.now() + 60_000).toISOString() });
  expect((await validateWith(key)).status).toBe(200);
  clock.advance(60_000);
  expect((await validateWith(key)).body.error.code).toBe('AUTH.INVALID_API_KEY');
  expect((await suite.tenant.asOwner('GET', `/api-keys/${id}`)).body.data.status).toBe('expired');
  const expired = await suite.tenant.asOwner('GET', '/api-keys?status=expired');
  expect(expired.body.data.map((row: { id: string }) => row.id)).toContain(id);
});

test('last_used_at of an API key shows the newest use immediately, before and after it is written', async () => {
  const { id, key } = await createKey({});
  clock.advance(5_000);
  await validateWith(key);
  const usedAt = `${new Date().toISOString().slice(0, -1)}000Z`;
  expect((await suite.tenant.asOwner('GET', `/api-keys/${id}`)).body.data.last_used_at).toBe(usedAt);
  await suite.app.services.apiKeyUsage.flush();
  expect((await suite.tenant.asOwner('GET', `/api-keys/${id}`)).body.data.last_used_at).toBe(usedAt);
  const { last_used_at } = await suite.app.services.platform.query
    .selectFrom('api_keys')
    .select('last_used_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(last_used_at).toBe(usedAt);
});

test('an API key without the scope of a route is refused there and works on other routes', async () => {
  const { key } = await createKey({ scopes: ['activations:write'] });
  const refused = await validateWith(key);
  expect(refused.status).toBe(403);
  expect(refused.body.error.code).toBe('AUTH.SCOPE_REQUIRED');
  expect(refused.headers['x-ratelimit-limit']).toBeDefined();
  const elsewhere = await suite.app.request({
    method: 'POST',
    url: '/api/v1/integration/licenses/UNKNOWN/activations',
    headers: { 'x-api-key': key },
    payload: { fingerprint: 'machine' },
  });
  expect(elsewhere.body.error.code).toBe('LICENSE.NOT_FOUND');
});

test.each([
  { address: '203.0.113.7', status: 200 },
  { address: '::ffff:203.0.113.7', status: 200 },
  { address: '203.0.114.1', status: 403 },
  { address: '2001:db8::1', status: 200 },
  { address: '2001:db9::1', status: 403 },
])('an API key with allowed networks gets status $status from $address', async ({ address, status }) => {
  const { key } = await createKey({ allowed_cidrs: ['203.0.113.0/24', '2001:db8::/32'] });
  const answer = await validateWith(key, { address });
  expect(answer.status).toBe(status);
  if (status === 403) expect(answer.body.error.code).toBe('AUTH.IP_NOT_ALLOWED');
});

test.each([
  ['no key', undefined],
  ['an empty key', ''],
  ['a key in capitals', `VX_${'A'.repeat(64)}`],
  ['a key with a space', `vx_${'a'.repeat(64)} `.replace('a ', ' a')],
  ['a short key', `vx_${'a'.repeat(63)}`],
  ['an unknown key', `vx_${'0'.repeat(64)}`],
  ['two keys', [`vx_${'0'.repeat(64)}`, `vx_${'1'.repeat(64)}`]],
  ['a token instead', `service_${'0'.repeat(64)}`],
])('a request with %s is refused with the same error', async (_case, key) => {
  const answer = await suite.app.request({
    method: 'POST',
    url: '/api/v1/integration/licenses/UNKNOWN/validate',
    headers: key === undefined ? {} : { 'x-api-key': key as string },
  });
  expect(answer.status).toBe(401);
  expect(answer.body.error.code).toBe('AUTH.INVALID_API_KEY');
});

import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { fillPath, liveRoutes, unknownValues } from '../support/routes.ts';

const clock = useClock();
const suite = useAdmin();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await suite.newTenant();
});

const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? null];

async function setStatus(status: 'active' | 'suspended' | 'closed'): Promise<void> {
  expect((await suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { status })).status).toBe(200);
}

/** Requests to the same tenant through the three guards. */
const guards = [
  { guard: 'a user', send: () => tenant.asOwner('GET', '/api-keys') },
  { guard: 'an admin', send: () => suite.asAdmin('GET', `/tenants/${tenant.id}/api-keys`) },
  { guard: 'an API key', send: () => tenant.asApplication('/licenses/UNKNOWN/validate') },
];

const states = [
  { status: 'suspended', code: 'TENANT.STATUS.SUSPENDED' },
  { status: 'closed', code: 'TENANT.STATUS.CLOSED' },
] as const;

describe.each(states)('a $status tenant', ({ status, code }) => {
  test.each(guards)(`the next request of $guard to a ${status} tenant gets a 403`, async ({ send }) => {
    expect((await send()).status).toBe(200);
    await setStatus(status);
    expect(outcome(await send())).toEqual([403, code]);
  });

  test(`all three guards respond with the same error to a ${status} tenant`, async () => {
    await setStatus(status);
    const answers = await Promise.all(guards.map(({ send }) => send()));
    const errors = answers.map((answer) => answer.body.error);
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1);
  });

  test(`every tenant route of every surface responds with 403 for a ${status} tenant`, async () => {
    await setStatus(status);
    const headers = { ...tenant.owner.auth, 'x-api-key': tenant.apiKey };
    for (const route of liveRoutes(suite.app)) {
      const surface = /^\/api\/v1\/(tenant\/|integration\/|admin\/tenants\/\{tenantId\}\/)/.exec(route.path)?.[1];
      if (surface === undefined) continue;
      const url = fillPath(route.path, { ...unknownValues(), tenantId: tenant.id });
      const credentials = surface.startsWith('admin') ? suite.admin.auth : headers;
      const answer = await suite.app.request({ method: route.method, url, headers: credentials });
      expect(outcome(answer), route.title).toEqual([403, code]);
    }
  });

  test(`admins can still read and list a ${status} tenant`, async () => {
    await setStatus(status);
    expect((await suite.asAdmin('GET', `/tenants/${tenant.id}`)).body.data.status).toBe(status);
    const listed = await suite.asAdmin('GET', `/tenants?status=${status}&limit=100`);
    expect(listed.body.data.map((row: { id: string }) => row.id)).toContain(tenant.id);
  });
});

test('a reinstated tenant is served from the next request on, with the same credentials', async () => {
  await setStatus('suspended');
  await setStatus('active');
  for (const { guard, send } of guards) expect((await send()).status, guard).toBe(200);
});

test('a closed tenant cannot be reinstated or suspended', async () => {
  await setStatus('closed');
  for (const status of ['active', 'suspended']) {
    const refused = await suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { status });
    expect(outcome(refused)).toEqual([409, 'TENANT.TRANSITION_INVALID']);
  }
  for (const { send } of guards) expect(outcome(await send())).toEqual([403, 'TENANT.STATUS.CLOSED']);
});

test.each(['unknown', newId(), '..%2f', 'A'.repeat(36)])(
  'an admin request for the tenant %s gets a 404',
  async (id) => {
    for (const path of ['/products', '/api-keys', '/licenses']) {
      expect(outcome(await suite.asAdmin('GET', `/tenants/${id}${path}`))).toEqual([404, 'TENANT.NOT_FOUND']);
    }
  },
);

describe('the order of the checks of an API key', () => {
  const allowedElsewhere = { allowed_cidrs: ['192.0.2.0/24'] };
  const createKey = async (fields: object = {}) =>
    (await tenant.asOwner('POST', '/api-keys', { name: 'Key', ...fields })).body.data as { id: string; key: string };

  async function validateWith(key: string | undefined): Promise<Answer> {
    const headers = key === undefined ? {} : { 'x-api-key': key };
    return suite.app.request({ method: 'POST', url: '/api/v1/integration/licenses/UNKNOWN/validate', headers });
  }

  /** Returns the stored value after all buffered writes. */
  async function lastUsedAt(id: string): Promise<string | null> {
    await suite.app.services.apiKeyUsage.flush();
    const query = suite.app.services.platform.query.selectFrom('api_keys').select('last_used_at').where('id', '=', id);
    return (await query.executeTakeFirstOrThrow()).last_used_at;
  }

  const revoke = (id: string) => tenant.asOwner('DELETE', `/api-keys/${id}`);

  test('checks 1 to 3: a missing, malformed, unknown or revoked key gets a 401 whatever the status of its tenant', async () => {
    const { id, key } = await createKey();
    await revoke(id);
    for (const status of ['active', 'suspended', 'closed'] as const) {
      if (status !== 'active') await setStatus(status);
      for (const candidate of [undefined, 'vx_', `vx_${'0'.repeat(64)}`, key]) {
        expect(outcome(await validateWith(candidate)), status).toEqual([401, 'AUTH.INVALID_API_KEY']);
      }
    }
    expect(await lastUsedAt(id)).toBeNull();
  });

  test('check 3: an expired key of a suspended tenant gets a 401', async () => {
    const { id, key } = await createKey({ expires_at: new Date(Date.now() + 1000).toISOString() });
    await setStatus('suspended');
    expect(outcome(await validateWith(key))).toEqual([403, 'TENANT.STATUS.SUSPENDED']);
    clock.advance(1000);
    expect(outcome(await validateWith(key))).toEqual([401, 'AUTH.INVALID_API_KEY']);
    expect(await lastUsedAt(id)).toBeNull();
  });

  test('check 5: an active key of an inactive tenant gets a 403 and does not change last_used_at', async () => {
    const { id, key } = await createKey();
    expect((await validateWith(key)).status).toBe(200);
    const before = await lastUsedAt(id);
    expect(before).not.toBeNull();
    await setStatus('suspended');
    clock.advance(5000);
    const refused = await validateWith(key);
    expect(outcome(refused)).toEqual([403, 'TENANT.STATUS.SUSPENDED']);
    expect(refused.headers['x-ratelimit-limit']).toBeUndefined();
    expect(await lastUsedAt(id)).toBe(before);
  });

  test('check 7: last_used_at is updated before the rate limit and the scope are checked', async () => {
    const { id, key } = await createKey({ scopes: ['usage:write'] });
    clock.advance(5000);
    expect(outcome(await validateWith(key))).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
    expect(await lastUsedAt(id)).toBe(`${new Date().toISOString().slice(0, -1)}000Z`);
  });

  test('a request from outside the allowed networks does not change last_used_at', async () => {
    const { id, key } = await createKey(allowedElsewhere);
    expect(outcome(await validateWith(key))).toEqual([403, 'AUTH.IP_NOT_ALLOWED']);
    expect(await lastUsedAt(id)).toBeNull();
  });

  test('the API key alone determines the tenant, whatever other credentials and headers a request has', async () => {
    const other = await suite.newTenant('Other');
    const { key } = await createKey();
    const answer = await suite.app.request({
      method: 'POST',
      url: '/api/v1/integration/licenses/UNKNOWN/validate',
      headers: { 'x-api-key': key, 'x-tenant-id': other.id, ...other.owner.auth },
    });
    expect(answer.status).toBe(200);
  });
});

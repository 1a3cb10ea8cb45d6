import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { recountUse } from '../../src/features/tenant-core/plan-limits/service.ts';
import { createAdmin, createTenant, type TestTenant, useAdmin } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, useClock } from '../support/harness.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';
import { createLicensingData } from '../support/licensing-data.ts';

const clock = useClock();
const suite = useAdmin();
let tenant: TestTenant;

beforeEach(async () => {
  // The frozen clock has 1,000 distinct microseconds per millisecond, so each test gets its own millisecond.
  clock.advance(1);
  tenant = await suite.newTenant();
});

type Surface = 'tenant' | 'admin';

function read(surface: Surface = 'tenant', query = '') {
  const ofSurface = {
    tenant: { url: `/api/v1/tenant/dev-tools/snapshot${query}`, headers: tenant.owner.auth },
    admin: { url: `/api/v1/admin/tenants/${tenant.id}/dev-tools/snapshot${query}`, headers: suite.admin.auth },
  };
  return suite.app.request({ method: 'GET', ...ofSurface[surface] });
}

async function snapshot(surface: Surface = 'tenant') {
  const answer = await read(surface);
  if (answer.status !== 200) throw new Error(`No snapshot: ${answer.text}`);
  return answer.body.data;
}

async function setLimits(limits: object): Promise<void> {
  const answer = await suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { limits });
  expect(answer.status).toBe(200);
}

describe.each(['tenant', 'admin'] as const)('through the %s surface', (surface) => {
  test('the snapshot of an empty tenant is complete', async () => {
    const { body } = await suite.app.request({ method: 'GET', url: '/openapi.json' });
    expect(await snapshot(surface)).toEqual({
      environment: {
        taken_at: expect.stringMatching(/^2026-11-20T/),
        base_url: suite.app.config.publicUrl,
        service_version: body.info.version,
        api_version: '1',
        engine: engine === 'sqlite' ? 'embedded' : 'postgresql',
      },
      counts: {
        products: 0,
        policies: 0,
        entitlements: 0,
        licenses: { total: 0, by_status: { pending: 0, active: 0, suspended: 0, revoked: 0, expired: 0 } },
        active_activations: 0,
        active_api_keys: 1,
        active_access_tokens: 0,
        members: 1,
        unread_notifications: 0,
        lower_bounds: [],
      },
      limits: {
        products: { limit: null, used: 0 },
        licenses: { limit: null, used: 0 },
        activations: { limit: null, used: 0 },
        api_keys: { limit: null, used: 1 },
        members: { limit: null, used: 1 },
        webhooks: { limit: null, used: 0 },
        integration_requests_per_minute: { limit: 6000, used: 0 },
      },
      failed_requests: [],
      webhooks: {
        endpoints: { enabled: 0, disabled: 0 },
        deliveries_of_last_day: { pending: 0, succeeded: 0, failed: 0 },
        last_failures: [],
      },
      snippets: {
        license_id: null,
        product: null,
        variables: { LICENSING_API_KEY: expect.any(String), LICENSE_KEY: expect.any(String) },
        curl: expect.stringContaining("-d '{}'"),
        typescript: expect.stringContaining('const question = {};'),
        python: expect.stringContaining('client.validate(license_key, nonce=nonce, proof=True)'),
      },
    });
  });

  test('the snapshot of developer tools refuses query parameters', async () => {
    expect((await read(surface, '?limit=5')).status).toBe(422);
  });
});

describe('counts', () => {
  test('the snapshot counts every license by its current status, without deleted ones', async () => {
    const hour = (offset: number) => new Date(Date.now() + offset * 3_600_000).toISOString();
    const first = await newLicense(tenant);
    const make = async (fields: object = {}) =>
      created(await tenant.asOwner('POST', '/licenses', { policy_id: first.policy_id, ...fields }));
    await make({ expires_at: hour(1) });
    await make({ starts_at: hour(1), expires_at: hour(3) });
    await make({ starts_at: hour(-3), expires_at: hour(-1) });
    for (const action of ['suspend', 'revoke', 'revoke']) {
      const ended = { starts_at: hour(-3), expires_at: hour(-1) };
      const { id } = await make(action === 'suspend' ? ended : {});
      await tenant.asOwner('POST', `/licenses/${id}/${action}`);
    }
    await tenant.asOwner('DELETE', `/licenses/${(await make()).id}`);
    const by_status = { pending: 1, active: 2, suspended: 1, revoked: 2, expired: 1 };
    expect((await snapshot()).counts.licenses).toEqual({ total: 7, by_status });
    clock.advance(2 * 3_600_000);
    const later = { pending: 0, active: 2, suspended: 1, revoked: 2, expired: 2 };
    expect((await snapshot('admin')).counts.licenses).toEqual({ total: 7, by_status: later });
  });

  test('the snapshot contains the limits of the plan and their current use', async () => {
    await createLicensingData(tenant);
    const floating = await newLicense(tenant, { lease_seconds: 60, max_activations: 5 });
    const activate = (fingerprint: string) =>
      tenant.asApplication(`/licenses/${floating.key}/activations`, { fingerprint });
    await activate('a');
    clock.advance(61_000);
    await activate('b');
    const released = created(await activate('c'));
    await tenant.asOwner('DELETE', `/activations/${released.id}`);
    const spare = created(await tenant.asOwner('POST', '/api-keys', { name: 'Spare' }));
    await tenant.asOwner('DELETE', `/api-keys/${spare.id}`);
    const soon = new Date(Date.now() + 1000).toISOString();
    created(await tenant.asOwner('POST', '/api-keys', { name: 'Short', expires_at: soon }));
    created(await tenant.asOwner('POST', '/access-tokens', { name: 'Short', role: 'viewer', expires_at: soon }));
    clock.advance(1000);
    await setLimits({ licenses: 10, activations: 4, integration_requests_per_minute: 100 });
    const { counts, limits } = await snapshot();
    expect(counts).toMatchObject({ products: 2, policies: 2, active_activations: 2, unread_notifications: 1 });
    expect(counts.active_access_tokens).toBe(1);
    expect(counts.lower_bounds).toEqual([]);
    expect(limits).toEqual({
      products: { limit: null, used: 2 },
      licenses: { limit: 10, used: 2 },
      activations: { limit: 4, used: 2 },
      api_keys: { limit: null, used: 2 },
      members: { limit: null, used: 2 },
      webhooks: { limit: null, used: 1 },
      integration_requests_per_minute: { limit: 100, used: 2 },
    });
  });

  test('counts that stop early are listed as lower bounds, and are exact for the rows they examined', async () => {
    const { id: licenseId } = await newLicense(tenant);
    const { services } = suite.app;
    await services.tenants.withTenantDb(tenant.id, (db) =>
      db.transaction(async (tx) => {
        const row = await tx.selectFrom('licenses').selectAll().executeTakeFirstOrThrow();
        for (let start = 0; start < 10_200; start += 300) {
          const rows = Array.from({ length: 300 }, (_row, index) => {
            const id = `copy-${start + index}`;
            return { ...row, id, key: id, status: 'suspended' as const, created_at: services.clock.now() };
          });
          await tx.insertInto('licenses').values(rows).execute();
        }
      }),
    );
    await services.tenants.withTenantDb(tenant.id, recountUse);
    const { counts, limits, snippets } = await snapshot();
    expect(counts.licenses.total).toBe(10_201);
    expect(limits.licenses.used).toBe(10_201);
    expect(counts.licenses.by_status).toMatchObject({ active: 0, suspended: 10_000 });
    expect(counts.lower_bounds).toEqual(['licenses.by_status']);
    expect(snippets.license_id).not.toBe(licenseId);
  });
});

interface Failure {
  readonly request_id: string;
  readonly code: string;
}

const codesOf = (failures: Failure[]) => failures.map(({ code }) => code);

/** Sends a request to the Integration API, with arbitrary headers and an arbitrary body. */
function integrate(path: string, options: { headers?: object; payload?: string | object; address?: string } = {}) {
  const { headers = {}, payload, address } = options;
  return suite.app.request({
    method: 'POST',
    url: `/api/v1/integration${path}`,
    headers: { 'x-api-key': tenant.apiKey, ...headers },
    ...(payload !== undefined && { payload }),
    ...(address !== undefined && { remoteAddress: address }),
  });
}

describe('failed requests', () => {
  test('failed requests are visible immediately, newest first, and are the same after they are stored', async () => {
    const { licenseKey } = await createLicensingData(tenant);
    const path = `/licenses/${licenseKey}/validate`;
    const answers = [
      await integrate(path, { payload: { fingerprint: 7 }, headers: { 'x-request-id': 'mine' } }),
      await integrate(path, { payload: '{', headers: { 'content-type': 'application/json' } }),
      await integrate('/licenses/UNKNOWN/activations', { payload: { fingerprint: 'a' } }),
    ];
    const expected = answers.reverse().map(({ status, body }) => ({
      occurred_at: expect.stringMatching(/^2026-11-20T/),
      request_id: body.meta.request_id,
      route: expect.any(String),
      status,
      code: body.error.code,
      api_key_id: tenant.apiKeyId,
    }));
    const reported = (await snapshot()).failed_requests;
    expect(reported).toEqual(expected);
    expect(
      reported.map(({ status, code, route }: Failure & { status: number; route: string }) => [status, code, route]),
    ).toEqual([
      [404, 'LICENSE.NOT_FOUND', 'POST /api/v1/integration/licenses/:key/activations'],
      [400, 'REQUEST.MALFORMED', 'POST /api/v1/integration/licenses/:key/validate'],
      [422, 'VALIDATION.FAILED', 'POST /api/v1/integration/licenses/:key/validate'],
    ]);
    expect(reported.at(-1).request_id).toBe('mine');
    await suite.app.services.failedRequests.flush();
    await suite.app.services.failedRequests.flush();
    const stored = await read('admin');
    expect(stored.body.data.failed_requests).toEqual(reported);
    expect(stored.text).not.toContain(licenseKey);
  });

  test('failed requests include those refused by scope, address and rate limit after authentication', async () => {
    const key = async (fields: object) =>
      created(await tenant.asOwner('POST', '/api-keys', { name: 'A', ...fields })).key;
    const elsewhere = await key({ allowed_cidrs: ['203.0.113.0/24'] });
    const narrow = await key({ scopes: ['usage:write'] });
    const slow = await key({ rate_limit_per_minute: 1 });
    const path = '/licenses/UNKNOWN/validate';
    await integrate(path, { headers: { 'x-api-key': slow } });
    const answers = [
      await integrate(path, { headers: { 'x-api-key': slow } }),
      await integrate(path, { headers: { 'x-api-key': narrow } }),
      await integrate(path, { headers: { 'x-api-key': elsewhere } }),
    ];
    const codes = ['RATE_LIMIT.EXCEEDED', 'AUTH.SCOPE_REQUIRED', 'AUTH.IP_NOT_ALLOWED'];
    expect(answers.map(({ body }) => body.error.code)).toEqual(codes);
    expect(answers[0]?.headers['retry-after']).toMatch(/^\d+$/);
    expect(codesOf((await snapshot()).failed_requests)).toEqual(codes.toReversed());
  });

  test('failed requests do not include negative verdicts, and requests with an unknown API key', async () => {
    await integrate('/licenses/UNKNOWN/validate');
    await integrate('/licenses/UNKNOWN/validate', { headers: { 'x-api-key': `vx_${'0'.repeat(64)}` } });
    await integrate('/nowhere');
    await tenant.asOwner('POST', '/products', {});
    expect((await snapshot()).failed_requests).toEqual([]);
  });

  test('failed requests include internal errors of the service', async () => {
    const { key } = await newLicense(tenant);
    await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
      db.query.schema.dropTable('activations').execute(),
    );
    const answer = await integrate(`/licenses/${key}/activations`, { payload: { fingerprint: 'a' } });
    expect([answer.status, answer.body.error.code]).toEqual([500, 'INTERNAL.ERROR']);
    await suite.app.services.failedRequests.flush();
    const stored = await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
      db.query.selectFrom('failed_requests').selectAll().execute(),
    );
    expect(stored).toMatchObject([{ request_id: answer.body.meta.request_id, status: 500, code: 'INTERNAL.ERROR' }]);
  });

  test('failed requests of a suspended tenant are not recorded', async () => {
    const patch = (status: string) => suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { status });
    await patch('suspended');
    expect((await integrate('/licenses/UNKNOWN/validate')).body.error.code).toBe('TENANT.STATUS.SUSPENDED');
    await patch('active');
    expect((await snapshot()).failed_requests).toEqual([]);
  });

  test('only the last 20 failed requests are kept, in memory and in the database', async () => {
    const fail = async (id: string) => {
      clock.advance(1);
      await integrate('/licenses/A/validate', { payload: { x: 1 }, headers: { 'x-request-id': id } });
    };
    const ids = Array.from({ length: 70 }, (_id, index) => `request-${index}`);
    for (const id of ids.slice(0, 45)) await fail(id);
    const lastOf = (sent: string[]) => sent.slice(-20).reverse();
    const reported = async () => (await snapshot()).failed_requests.map(({ request_id }: Failure) => request_id);
    expect(await reported()).toEqual(lastOf(ids.slice(0, 45)));
    const { services } = suite.app;
    const stored = () =>
      services.tenants.withTenantDb(tenant.id, (db) =>
        db.query.selectFrom('failed_requests').select('request_id').execute(),
      );
    await services.failedRequests.flush();
    expect(await stored()).toHaveLength(20);
    for (const id of ids.slice(45, 50)) await fail(id);
    const flushing = services.failedRequests.flush();
    expect(await reported()).toEqual(lastOf(ids.slice(0, 50)));
    for (const id of ids.slice(50)) await fail(id);
    await flushing;
    await services.failedRequests.flush();
    expect((await stored()).map(({ request_id }) => request_id).sort()).toEqual(lastOf(ids).sort());
    expect(await reported()).toEqual(lastOf(ids));
  });

  test('a snapshot contains only failed requests of its own tenant', async () => {
    const other = await suite.newTenant('Other');
    await other.asApplication('/licenses/A/validate', { x: 1 });
    await integrate('/licenses/A/activations', { payload: { fingerprint: 'a' } });
    expect(codesOf((await snapshot()).failed_requests)).toEqual(['LICENSE.NOT_FOUND']);
  });

  test('failed requests are still listed after a restart', async () => {
    const site = await createSite();
    onTestFinished(() => site.remove());
    const app = await startApp(site);
    const own = await createTenant(app, await createAdmin(app));
    await own.asApplication('/licenses/A/validate', { x: 1 });
    await stopApp(app);
    const again = await startApp(site);
    onTestFinished(() => stopApp(again));
    const url = '/api/v1/tenant/dev-tools/snapshot';
    const answer = await again.request({ method: 'GET', url, headers: own.owner.auth });
    expect(codesOf(answer.body.data.failed_requests)).toEqual(['VALIDATION.FAILED']);
  });
});

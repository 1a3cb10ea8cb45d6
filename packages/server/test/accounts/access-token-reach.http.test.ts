import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { updateTenant } from '../../src/features/accounts/tenants/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { booleanFlag, createFlag } from '../operations/flags.ts';
import { joinTenant, useTenant } from '../support/accounts.ts';
import { created } from '../support/licensing-catalog.ts';
import { fillPath, type LiveRoute, liveRoutes, unknownValues } from '../support/routes.ts';
import { statementsOf } from '../support/statements.ts';
import { type NewAccessToken, newAccessToken, outcome, sendWith } from './access-tokens.ts';

const suite = useTenant();
const admin = {} as NewAccessToken;
const viewer = {} as NewAccessToken;

beforeAll(async () => {
  Object.assign(admin, await newAccessToken(suite.tenant, { role: 'admin' }));
  Object.assign(viewer, await newAccessToken(suite.tenant, { role: 'viewer' }));
});

const tenantPrefix = '/api/v1/tenant/';
const refused = [403, 'AUTH.ROLE_REQUIRED'] as const;

/** Sends a request without a body, which fails only after the guard. */
function probe({ method, path }: LiveRoute, { token }: NewAccessToken) {
  return sendWith(suite.app, token, method, fillPath(path, { ...unknownValues(), tenantId: suite.tenant.id }));
}

const routesWith = (isWanted: (route: LiveRoute) => boolean) => liveRoutes(suite.app).filter(isWanted);
const isForPeople = ({ path }: LiveRoute) =>
  /^\/api\/v1\/tenant\/(members|access-tokens|demo-data|test-tenant|close)/.test(path);
const isPersonal = ({ path, security }: LiveRoute) =>
  security.includes('bearer') && /^\/api\/(auth|v1\/(auth|billing|account|onboarding))\//.test(path);

describe('the routes that an access token reaches', () => {
  test('an access token with the role admin passes the guard of every tenant resource except those for people', async () => {
    const routes = routesWith(({ path }) => path.startsWith(tenantPrefix));
    expect(routes.filter(isForPeople)).toHaveLength(14);
    expect(routes.length).toBeGreaterThan(50);
    for (const route of routes) {
      const answer = outcome(await probe(route, admin));
      if (isForPeople(route)) expect(answer, route.title).toEqual(refused);
      else expect([401, 403], route.title).not.toContain(answer[0]);
    }
  });

  test('an access token with the role viewer only reads', async () => {
    for (const route of routesWith(({ path }) => path.startsWith(tenantPrefix))) {
      const answer = outcome(await probe(route, viewer));
      if (route.method === 'GET' && !isForPeople(route)) expect([200, 404, 422], route.title).toContain(answer[0]);
      else expect(answer, route.title).toEqual(refused);
    }
    const head = { method: 'HEAD', headers: { authorization: `Bearer ${viewer.token}` } } as const;
    expect((await suite.app.request({ ...head, url: '/api/v1/tenant/products' })).status).toBe(200);
    expect((await suite.app.request({ ...head, url: '/api/v1/tenant/members' })).status).toBe(403);
  });

  test('an access token reaches nothing of a person: no billing, account, onboarding, logout or two-factor', async () => {
    const routes = routesWith((route) => isPersonal(route) && !route.title.endsWith('/auth/me'));
    expect(routes.length).toBeGreaterThan(25);
    for (const route of routes) expect(outcome(await probe(route, admin)), route.title).toEqual(refused);
    expect((await sendWith(suite.app, admin.token, 'GET', '/products')).status).toBe(200);
  });

  test('an access token is refused on every route of the admin surface and of the Integration API', async () => {
    for (const route of routesWith(({ path }) => path.startsWith('/api/v1/admin/'))) {
      expect(outcome(await probe(route, admin)), route.title).toEqual([401, 'AUTH.INVALID_TOKEN']);
    }
    for (const route of routesWith(({ path }) => path.startsWith('/api/v1/integration/'))) {
      expect(outcome(await probe(route, admin)), route.title).toEqual([401, 'AUTH.INVALID_API_KEY']);
    }
  });

  test('me describes an access token and its only tenant, in any status of the tenant', async () => {
    const tenant = await suite.newTenant('Described');
    const { id, token } = await newAccessToken(tenant, { name: 'Shop', role: 'viewer' });
    const described = (status: string) => ({
      ability: 'tenant',
      access_token: { id, name: 'Shop', role: 'viewer', created_at: expect.any(String), expires_at: null },
      two_factor_enabled: false,
      tenants: [{ id: tenant.id, name: 'Described', role: 'viewer', status, live_tenant_id: null }],
    });
    const me = async () => (await sendWith(suite.app, token, 'GET', '/api/auth/me')).body.data;
    expect(await me()).toEqual(described('active'));
    await updateTenant(suite.app.services, systemActor, tenant.id, { status: 'suspended' });
    expect(await me()).toEqual(described('suspended'));
  });

  test('OFREP evaluates flags for the tenant of an access token of either role', async () => {
    await createFlag(suite.app, suite.admin, 'beta', {
      ...booleanFlag(),
      targeting: { if: [{ '==': [{ var: 'tenant_id' }, suite.tenant.id] }, 'on', 'off'] },
    });
    const other = await newAccessToken(await suite.newTenant('Elsewhere'));
    const evaluate = async ({ token }: NewAccessToken) =>
      (await sendWith(suite.app, token, 'POST', '/ofrep/v1/evaluate/flags/beta', { payload: { context: {} } })).body
        .value;
    expect([await evaluate(admin), await evaluate(viewer), await evaluate(other)]).toEqual([true, true, false]);
  });
});

describe('the tenant of an access token', () => {
  test('an access token acts in its tenant without X-Tenant-ID, although its creator has several tenants', async () => {
    const second = await suite.newTenant('Second');
    await joinTenant(suite.app, suite.tenant.owner, second.id, 'owner');
    const products = (token: string, headers = {}) => sendWith(suite.app, token, 'GET', '/products', { headers });
    expect(outcome(await products(suite.tenant.owner.token))).toEqual([400, 'TENANT.SELECTION_REQUIRED']);
    const code = newId();
    created(await sendWith(suite.app, admin.token, 'POST', '/products', { payload: { code, name: 'Editor' } }));
    expect((await products(viewer.token)).text).toContain(code);
    expect((await products(viewer.token, { 'x-tenant-id': suite.tenant.id })).text).toContain(code);
    expect((await second.asOwner('GET', '/products')).text).not.toContain(code);
    const members = await second.asOwner('GET', `/members?email=${encodeURIComponent(suite.tenant.owner.email)}`);
    await second.asOwner('DELETE', `/members/${members.body.data[0].id}`);
  });

  test('X-Tenant-ID of another tenant is refused for an access token, like an unknown tenant', async () => {
    const other = await suite.newTenant('Foreign');
    for (const route of routesWith(({ path }) => path.startsWith(tenantPrefix) || path.startsWith('/ofrep/'))) {
      const path = fillPath(route.path, unknownValues());
      const sendTo = (id: string) =>
        sendWith(suite.app, admin.token, route.method, path, { headers: { 'x-tenant-id': id } });
      const [known, unknown] = [await sendTo(other.id), await sendTo(newId())];
      expect(known.status, route.title).toBe(403);
      expect([unknown.status, unknown.body.error], route.title).toEqual([known.status, known.body.error]);
      if (!route.path.startsWith('/ofrep/')) expect(known.body.error.code).toBe('TENANT.ACCESS_DENIED');
    }
  });

  test.each([
    ['not a UUID', 'acme'],
    ['sent twice', [newId(), newId()]],
  ])('an X-Tenant-ID that is %s is malformed for an access token too', async (_what, header) => {
    const answer = await sendWith(suite.app, admin.token, 'GET', '/products', { headers: { 'x-tenant-id': header } });
    expect(outcome(answer)).toEqual([400, 'REQUEST.MALFORMED']);
  });

  test('an access token of a suspended or closed tenant gets the response of a user, and does not count as used', async () => {
    const tenant = await suite.newTenant('Inactive');
    const { id, token } = await newAccessToken(tenant);
    const services = suite.app.services;
    for (const [status, code] of [
      ['suspended', 'TENANT.STATUS.SUSPENDED'],
      ['closed', 'TENANT.STATUS.CLOSED'],
    ] as const) {
      await updateTenant(services, systemActor, tenant.id, { status });
      for (const sender of [token, tenant.owner.token]) {
        expect(outcome(await sendWith(suite.app, sender, 'GET', '/products'))).toEqual([403, code]);
      }
    }
    await services.accessTokenUsage.flush();
    const query = services.platform.query.selectFrom('tenant_access_tokens').select('last_used_at');
    expect((await query.where('id', '=', id).executeTakeFirstOrThrow()).last_used_at).toBeNull();
  });

  test('an access token is resolved to its tenant with one query, after the one that finds no session', async () => {
    const list = () => sendWith(suite.app, viewer.token, 'GET', '/policies');
    await list();
    const reads = vi.spyOn(suite.app.services.platform, 'first');
    onTestFinished(() => reads.mockRestore());
    const otherStatements = await statementsOf(suite.app, list);
    expect(reads.mock.calls.map(([{ name }]) => name)).toEqual(['access-token-by-hash', 'active-access-token-by-hash']);
    expect(otherStatements).toEqual([]);
  });
});

describe('what an access token changes', () => {
  const payload = { name: 'Editor' };

  test('the audit record of a change by an access token names the token as the actor, and its creator', async () => {
    const answer = await sendWith(suite.app, admin.token, 'POST', '/products', {
      payload: { ...payload, code: newId() },
    });
    const { id } = created(answer);
    const records = (await suite.tenant.asOwner('GET', `/audit-logs?actor_id=${admin.id}&resource_id=${id}`)).body.data;
    expect(records).toMatchObject([
      {
        event: 'PRODUCT.CREATED',
        actor_type: 'user',
        actor_id: admin.id,
        actor_created_by: suite.tenant.owner.id,
        request_id: answer.body.meta.request_id,
      },
    ]);
  });

  test('the audit record of a change to a row of the platform names the access token and its creator in both logs', async () => {
    const key = created(await sendWith(suite.app, admin.token, 'POST', '/api-keys', { payload: { name: 'Made' } }));
    expect(key['created_by' as never]).toEqual({ type: 'user', id: admin.id });
    const actor = { actor_type: 'user', actor_id: admin.id, actor_created_by: suite.tenant.owner.id };
    const records = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${key.id}`);
    expect(records.body.data).toMatchObject([{ event: 'API_KEY.CREATED', ...actor }]);
    const renamed = await sendWith(suite.app, admin.token, 'PUT', '/settings', { payload: { name: 'Renamed' } });
    expect(renamed.status).toBe(200);
    const platform = await suite.asAdmin('GET', `/audit?actor_id=${admin.id}`);
    expect(platform.body.data).toMatchObject([actor]);
  });

  test('members see which access token created an API key, and access tokens see no names of members', async () => {
    const made = created(await sendWith(suite.app, admin.token, 'POST', '/api-keys', { payload: { name: 'Made' } }));
    const own = created(await suite.tenant.asOwner('POST', '/api-keys', { name: 'Own' }));
    const path = '/api-keys?include=details&limit=100';
    const nameIn = (data: { id: string; created_by: { name: string | null } }[], id: string) =>
      data.find((key) => key.id === id)?.created_by.name;
    const seen = async (id: string) => [
      nameIn((await suite.tenant.asOwner('GET', path)).body.data, id),
      nameIn((await sendWith(suite.app, admin.token, 'GET', path)).body.data, id),
    ];
    expect(await seen(made.id)).toEqual(['Shop', null]);
    expect(await seen(own.id)).toEqual(['Ada Lovelace', null]);
  });

  test('a change by an access token sends the same webhook event as a change by a person', async () => {
    const url = 'https://hooks.example.com/automation';
    created(await suite.tenant.asOwner('POST', '/webhooks', { url, events: ['license.created'] }));
    const product = created(
      await sendWith(suite.app, admin.token, 'POST', '/products', { payload: { ...payload, code: newId() } }),
    );
    const policy = created(
      await sendWith(suite.app, admin.token, 'POST', '/policies', {
        payload: { product_id: product.id, code: newId(), name: 'Yearly' },
      }),
    );
    const send = { payload: { policy_id: policy.id }, headers: { 'idempotency-key': newId() } };
    const made = await sendWith(suite.app, admin.token, 'POST', '/licenses', send);
    const again = await sendWith(suite.app, admin.token, 'POST', '/licenses', send);
    expect([again.headers['idempotency-replayed'], again.body.data.id]).toEqual(['true', created(made).id]);
    const deliveries = (await suite.tenant.asOwner('GET', '/webhook-deliveries')).body.data;
    expect(deliveries).toMatchObject([{ event_type: 'license.created' }]);
  });
});

import { describe, expect, test } from 'vitest';
import { up as giveCopiesTheirMembers } from '../../src/db/migrations/platform/0026-members-of-copies.ts';
import { newId } from '../../src/lib/ids.ts';
import { createUser, joinTenant, surfacesOf, type TestTenant, useTenantPerTest } from '../support/accounts.ts';
import type { Answer } from '../support/harness.ts';
import { created, defineEntitlements, eventsOf, newLicense, newPolicy } from '../support/licensing-catalog.ts';

const suite = useTenantPerTest({ WEBHOOK_ALLOW_HTTP: 'true' });

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Sends a request as the owner of the live tenant to one of its tenants. */
const at =
  (tenantId: string) =>
  (method: Method, path: string, payload?: object): Promise<Answer> =>
    suite.app.request({
      method,
      url: `/api/v1/tenant${path}`,
      headers: { ...suite.tenant.owner.auth, 'x-tenant-id': tenantId },
      ...(payload && { payload }),
    });
const live = (method: Method, path: string, payload?: object) => at(suite.tenant.id)(method, path, payload);

async function newTest(): Promise<string> {
  const answer = await live('POST', '/test-tenant');
  expect(answer.status).toBe(201);
  return answer.body.data.id;
}

const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);

describe('the test copy of a tenant', () => {
  test('it has the configuration with the same ids, and neither licenses nor enabled webhooks', async () => {
    await defineEntitlements(suite.tenant, { renders: 'metered' });
    const license = await newLicense(suite.tenant, { entitlements: [{ code: 'renders', limit: 5, reset: 'month' }] });
    await live('PUT', '/settings', { timezone: 'Europe/Berlin', license_key_prefix: 'ACME' });
    const hook = created(
      await live('POST', '/webhooks', {
        url: 'https://hooks.example.com/a',
        events: ['*'],
        headers: [{ name: 'X-Key', value: 'live' }],
      }),
    );
    const id = await newTest();
    const inTest = at(id);
    for (const list of ['/products', '/policies', '/entitlements']) {
      expect((await inTest('GET', list)).body.data).toEqual((await live('GET', list)).body.data);
    }
    const settings = (await inTest('GET', '/settings')).body.data;
    expect(settings).toMatchObject({ name: 'Acme (test)', timezone: 'Europe/Berlin', license_key_prefix: 'ACME' });
    expect((await inTest('GET', '/licenses')).body.data).toEqual([]);
    const [copied] = (await inTest('GET', '/webhooks')).body.data;
    expect(copied).toMatchObject({ id: hook.id, url: hook.url, status: 'disabled', headers: [] });
    // The entitlement is granted by the copied policy, so it cannot be deleted.
    const [entitlement] = idsOf(await inTest('GET', '/entitlements'));
    expect((await inTest('DELETE', `/entitlements/${entitlement}`)).body.error.code).toBe('ENTITLEMENT.IN_USE');
    const issued = created(await inTest('POST', '/licenses', { policy_id: license.policy_id }));
    expect(issued.key).toMatch(/^ACME-/);
    expect((await live('GET', `/licenses/${issued.id}`)).status).toBe(404);
    expect(await eventsOf(suite.tenant, id)).toEqual(['TEST_TENANT.CREATED']);
  });

  test('a tenant has one, however many requests create it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 3 }, () => live('POST', '/test-tenant')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    const [id] = answers.map(({ body }) => body.data.id);
    const state = await live('GET', '/test-tenant');
    expect(state.body.data).toMatchObject({ live_tenant_id: null, test_tenant: { id } });
    const ofTest = await at(id)('GET', '/test-tenant');
    expect(ofTest.body.data).toEqual({ live_tenant_id: suite.tenant.id, test_tenant: null });
    const nested = await at(id)('POST', '/test-tenant');
    expect([nested.status, nested.body.error.code]).toEqual([409, 'TEST_TENANT.NOT_LIVE']);
  });

  test('it has small limits and its members, and login says whose copy it is', async () => {
    const viewer = await createUser(suite.app);
    await joinTenant(suite.app, viewer, suite.tenant.id, 'viewer');
    const id = await newTest();
    const members = (await at(id)('GET', '/members')).body.data;
    expect(members.map(({ role }: { role: string }) => role).sort()).toEqual(['owner', 'viewer']);
    const me = await suite.app.request({ method: 'GET', url: '/api/auth/me', headers: suite.tenant.owner.auth });
    const kinds = me.body.data.tenants.map((tenant: { id: string; live_tenant_id: string | null }) => [
      tenant.id,
      tenant.live_tenant_id,
    ]);
    expect(new Map(kinds)).toEqual(
      new Map([
        [suite.tenant.id, null],
        [id, suite.tenant.id],
      ]),
    );
    // Requests without a tenant still go to the one live tenant.
    expect((await suite.tenant.asOwner('GET', '/settings')).body.data.name).toBe('Acme');
    const shown = await asAdmin('GET', `/api/v1/admin/tenants/${id}`);
    expect(shown.body.data).toMatchObject({
      plan_code: 'free',
      live_tenant_id: suite.tenant.id,
      limits: { licenses: 100, activations: 100, api_keys: 5, integration_requests_per_minute: 300 },
    });
  });

  test('its members are always those of its live tenant, and are changed there', async () => {
    const [person, viewer] = [await createUser(suite.app), await createUser(suite.app)];
    await joinTenant(suite.app, person, suite.tenant.id, 'admin');
    const id = await newTest();
    await joinTenant(suite.app, viewer, suite.tenant.id, 'viewer');
    const rolesIn = async (tenantId: string): Promise<string[][]> =>
      (await at(tenantId)('GET', '/members')).body.data
        .map(({ email, role }: { email: string; role: string }) => [email, role])
        .sort();
    const memberOf = async (tenantId: string, { email }: { email: string }): Promise<string> =>
      (await at(tenantId)('GET', `/members?email=${email}`)).body.data[0].id;
    expect(await rolesIn(id)).toEqual(await rolesIn(suite.tenant.id));
    const inCopy = `/members/${await memberOf(id, person)}`;
    const refused = [
      await at(id)('POST', '/members', { email: 'new@example.com', role: 'viewer' }),
      await at(id)('PUT', inCopy, { role: 'viewer' }),
      await at(id)('DELETE', inCopy),
    ];
    expect(refused.map(({ body }) => body.error.code)).toEqual(Array(3).fill('TEST_TENANT.NOT_LIVE'));

    const ask = async (method: Method, path: string, payload?: object) =>
      suite.app.request({
        method,
        url: `/api/v1/tenant${path}`,
        headers: { ...person.auth, 'x-tenant-id': id },
        ...(payload && { payload }),
      });
    expect((await ask('POST', '/products', { name: 'Mine', code: 'mine' })).status).toBe(201);
    const inLive = `/members/${await memberOf(suite.tenant.id, person)}`;
    expect((await live('PUT', inLive, { role: 'viewer' })).status).toBe(200);
    expect((await ask('POST', '/products', { name: 'Mine', code: 'mine-2' })).body.error.code).toBe(
      'AUTH.ROLE_REQUIRED',
    );
    expect(await rolesIn(id)).toEqual(await rolesIn(suite.tenant.id));
    expect((await live('DELETE', inLive)).status).toBe(200);
    expect((await ask('GET', '/products')).body.error.code).toBe('TENANT.ACCESS_DENIED');
    expect(await rolesIn(id)).toEqual(await rolesIn(suite.tenant.id));
  });

  test('an upgrade gives it the members of its live tenant', async () => {
    const [removed, missing] = [await createUser(suite.app), await createUser(suite.app)];
    const id = await newTest();
    await joinTenant(suite.app, missing, suite.tenant.id, 'viewer');
    const { query } = suite.app.services.platform;
    await query.deleteFrom('memberships').where('tenant_id', '=', id).where('user_id', '=', missing.id).execute();
    const created_at = suite.app.services.clock.now();
    const row = { id: newId(), tenant_id: id, user_id: removed.id, role: 'owner' as const, created_at };
    await query.insertInto('memberships').values(row).execute();
    await giveCopiesTheirMembers(query);
    const emails = (await at(id)('GET', '/members')).body.data.map(({ email }: { email: string }) => email);
    expect(emails.sort()).toEqual([suite.tenant.owner.email, missing.email].sort());
  });

  test('it is never billed: no plan, no invoice, and it does not count among the tenants', async () => {
    const before = await countTenants();
    const id = await newTest();
    expect(await countTenants()).toBe(before);
    const plan = await suite.app.request({
      method: 'PUT',
      url: '/api/v1/billing/plan',
      headers: { ...suite.tenant.owner.auth, 'x-tenant-id': id },
      payload: { plan_code: 'team', interval: 'month' },
    });
    expect([plan.status, plan.body.error.code]).toEqual([409, 'BILLING.TEST_TENANT']);
    const plans = (await asAdmin('GET', '/api/v1/admin/catalog/plans')).body.data;
    const other = plans.find(({ code }: { code: string }) => code !== 'free');
    if (other === undefined) return;
    const changed = await asAdmin('PATCH', `/api/v1/admin/tenants/${id}`, { plan_code: other.code });
    expect([changed.status, changed.body.error.code]).toEqual([409, 'BILLING.TEST_TENANT']);
  });

  test.for(['live', 'test'] as const)('it is deleted from the %s tenant, with everything in it', async (from) => {
    const id = await newTest();
    const deleted = await at(from === 'live' ? suite.tenant.id : id)('DELETE', '/test-tenant');
    expect(deleted.body.data).toEqual({ deleted: true, id });
    expect((await at(id)('GET', '/products')).status).toBe(403);
    expect((await asAdmin('GET', `/api/v1/admin/tenants/${id}`)).status).toBe(404);
    expect((await live('GET', '/products')).status).toBe(200);
    expect(await eventsOf(suite.tenant, id)).toEqual(['TEST_TENANT.DELETED', 'TEST_TENANT.CREATED']);
    expect((await live('DELETE', '/test-tenant')).status).toBe(404);
    expect(await newTest()).not.toBe(id);
  });

  test('it is suspended and reinstated with its live tenant, and never served without it', async () => {
    const id = await newTest();
    const set = async (tenantId: string, status: string) =>
      (await asAdmin('PATCH', `/api/v1/admin/tenants/${tenantId}`, { status })).body.error?.code;
    const statusOf = async () => (await asAdmin('GET', `/api/v1/admin/tenants/${id}`)).body.data.status;
    await set(suite.tenant.id, 'suspended');
    expect((await at(id)('GET', '/products')).body.error.code).toBe('TENANT.STATUS.SUSPENDED');
    expect(await set(id, 'active')).toBe('TENANT.TRANSITION_INVALID');
    await set(suite.tenant.id, 'active');
    expect((await at(id)('GET', '/products')).status).toBe(200);
    // A suspension by an operator outlives a suspension of the live tenant.
    await set(id, 'suspended');
    await set(suite.tenant.id, 'suspended');
    await set(suite.tenant.id, 'active');
    expect(await statusOf()).toBe('suspended');
    expect(await set(id, 'active')).toBeUndefined();
    expect(await statusOf()).toBe('active');
  });

  test('a copy that is created while its live tenant is suspended or closed is never left in service', async () => {
    for (const status of ['suspended', 'closed']) {
      const tenant = await suite.newTenant();
      const [, change] = await Promise.all([
        tenant.asOwner('POST', '/test-tenant'),
        asAdmin('PATCH', `/api/v1/admin/tenants/${tenant.id}`, { status }),
      ]);
      expect(change.status).toBe(200);
      const { query } = suite.app.services.platform;
      const copies = await query
        .selectFrom('tenants')
        .select('status')
        .where('live_tenant_id', '=', tenant.id)
        .execute();
      expect(copies.filter((copy) => copy.status !== status)).toEqual([]);
    }
  });

  test('only owners create and delete it, and admins of the platform', async () => {
    const member = await memberOf(suite.tenant, 'admin');
    expect((await member.asOwner('POST', '/test-tenant')).body.error.code).toBe('AUTH.ROLE_REQUIRED');
    expect((await member.asOwner('GET', '/test-tenant')).status).toBe(200);
    const url = `/api/v1/admin/tenants/${suite.tenant.id}/test-tenant`;
    const made = await asAdmin('POST', url);
    expect(made.status).toBe(201);
    expect(await eventsOf(suite.tenant, made.body.data.id)).toEqual(['TEST_TENANT.CREATED_BY_ADMIN']);
    expect((await asAdmin('DELETE', url)).status).toBe(200);
  });
});

describe('a policy that is copied to the live tenant', () => {
  test('it brings its product and entitlements, and changes a policy only if that is asked for', async () => {
    const id = await newTest();
    const inTest = at(id);
    const product = created(await inTest('POST', '/products', { code: 'new-app', name: 'New app' }));
    await inTest('POST', '/entitlements', { code: 'export', name: 'Export', type: 'boolean' });
    const fields = { product_id: product.id, code: 'yearly', name: 'Yearly', duration_months: 12 };
    const policy = created(await inTest('POST', '/policies', { ...fields, entitlements: [{ code: 'export' }] }));
    const path = `/policies/${policy.id}/copy-to-live`;
    const copied = (await inTest('POST', path)).body.data;
    expect(copied).toMatchObject({ tenant_id: suite.tenant.id, created: true });
    const there = (await live('GET', `/policies/${copied.policy_id}`)).body.data;
    expect(there).toMatchObject({ code: 'yearly', duration_months: 12, entitlements: [{ code: 'export' }] });
    await inTest('PUT', `/policies/${policy.id}`, { max_activations: 7 });
    const refused = await inTest('POST', path, {});
    expect([refused.status, refused.body.error.code]).toEqual([409, 'POLICY.CODE_TAKEN']);
    const replaced = (await inTest('POST', path, { replace: true })).body.data;
    expect(replaced).toMatchObject({ policy_id: copied.policy_id, created: false });
    expect((await live('GET', `/policies/${copied.policy_id}`)).body.data.max_activations).toBe(7);
    expect(await eventsOf(suite.tenant, copied.policy_id)).toEqual(['POLICY.UPDATED', 'POLICY.CREATED']);
  });

  test('it needs a test tenant, and a person who may change the live one', async () => {
    const policy = await newPolicy(suite.tenant);
    const atLive = await live('POST', `/policies/${policy.id}/copy-to-live`);
    expect([atLive.status, atLive.body.error.code]).toEqual([409, 'TEST_TENANT.NOT_TEST']);
    const id = await newTest();
    const guest = await createUser(suite.app);
    await joinTenant(suite.app, guest, id, 'owner');
    const token = created(await at(id)('POST', '/access-tokens', { name: 'Script', role: 'admin' })).token;
    for (const auth of [guest.auth, { authorization: `Bearer ${token}` }]) {
      const answer = await suite.app.request({
        method: 'POST',
        url: `/api/v1/tenant/policies/${policy.id}/copy-to-live`,
        headers: auth,
      });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH.ROLE_REQUIRED']);
    }
  });
});

describe('an owner who closes the tenant', () => {
  test('it needs the name, ends every request, closes the test copy, and frees a sole owner', async () => {
    const id = await newTest();
    const member = await memberOf(suite.tenant, 'admin');
    expect((await member.asOwner('POST', '/close', { name: 'Acme' })).body.error.code).toBe('AUTH.ROLE_REQUIRED');
    expect((await live('POST', '/close', { name: 'Acme Inc' })).status).toBe(422);
    const closed = await live('POST', '/close', { name: 'Acme' });
    expect(closed.body.data).toEqual({ id: suite.tenant.id, status: 'closed' });
    expect((await live('GET', '/products')).body.error.code).toBe('TENANT.STATUS.CLOSED');
    expect((await at(id)('GET', '/products')).body.error.code).toBe('TENANT.STATUS.CLOSED');
    const deletion = await suite.app.request({
      method: 'POST',
      url: '/api/v1/account/deletion',
      headers: suite.tenant.owner.auth,
      payload: { password: 'correct horse battery staple' },
    });
    expect(deletion.status).toBeLessThan(300);
  });
});

const asAdmin = (method: Method | 'PATCH', url: string, payload?: object) =>
  suite.app.request({ method, url, headers: suite.admin.auth, ...(payload && { payload }) });

async function countTenants(): Promise<number> {
  const { body } = await asAdmin('GET', '/api/v1/admin/metrics');
  return body.data.tenants.active;
}

async function memberOf(tenant: TestTenant, role: 'admin' | 'viewer') {
  const user = await createUser(suite.app);
  await joinTenant(suite.app, user, tenant.id, role);
  return surfacesOf(suite.app, { owner: user, apiKey: '' });
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { createAdmin, createUser, logIn, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields } from '../support/licensing-catalog.ts';
import { mailedToken, mailsTo } from '../support/mails.ts';
import { sendInvited } from './members.ts';

useClock();
const suite = useAdmin();

const platformEvents = async (tenantId: string) =>
  (await suite.asAdmin('GET', `/audit?resource_id=${tenantId}`)).body.data.map(
    (record: { event: string }) => record.event,
  );

test('a new tenant is active, has the limits of its plan, and can be used immediately', async () => {
  const created = await suite.asAdmin('POST', '/tenants', { name: 'Acme' });
  expect(created.status).toBe(201);
  const tenant = created.body.data;
  expect(tenant).toMatchObject({ name: 'Acme', status: 'active', plan_code: 'free', closed_at: null });
  expect(tenant.limits.integration_requests_per_minute).toBe(6000);
  const { storage_bytes, ...read } = (await suite.asAdmin('GET', `/tenants/${tenant.id}?include=storage`)).body.data;
  expect(read).toEqual(tenant);
  expect(storage_bytes).toBeGreaterThan(10_000);
  expect((await suite.asAdmin('GET', `/tenants/${tenant.id}/licenses`)).body.data).toEqual([]);
  expect(await platformEvents(tenant.id)).toEqual(['TENANT.CREATED']);
});

test('20 concurrent requests create 20 tenants', async () => {
  const names = Array.from({ length: 20 }, (_unused, index) => `Parallel ${index}`);
  const answers = await Promise.all(names.map((name) => suite.asAdmin('POST', '/tenants', { name })));
  expect(answers.map((answer) => answer.status)).toEqual(names.map(() => 201));
  const listed = await suite.asAdmin('GET', '/tenants?q=parallel&limit=100');
  expect(listed.body.data.map((row: { name: string }) => row.name).sort()).toEqual([...names].sort());
});

test('an owner with an account becomes a member of the new tenant immediately and is notified by mail', async () => {
  const owner = await createUser(suite.app);
  const created = await suite.asAdmin('POST', '/tenants', { name: 'Owned', owner_email: owner.email.toUpperCase() });
  const { id } = created.body.data;
  expect(await mailsTo(suite.app, owner.email)).toEqual([expect.stringContaining('invited to join “Owned”')]);
  const readMe = () => suite.app.request({ method: 'GET', url: '/api/auth/me', headers: owner.auth });
  expect((await readMe()).body.data.tenants).toEqual([]);
  const [invitation] = (await sendInvited(suite.app, owner, 'GET')).body.data;
  expect(invitation).toMatchObject({ tenant_id: id, tenant_name: 'Owned', role: 'owner' });
  expect((await sendInvited(suite.app, owner, 'POST', `/${invitation.id}/accept`)).status).toBe(200);
  const me = await readMe();
  expect(me.body.data.tenants).toEqual([{ id, name: 'Owned', role: 'owner', status: 'active', live_tenant_id: null }]);
  const log = await suite.asAdmin('GET', `/tenants/${id}/audit-logs?event=MEMBER.INVITED_BY_ADMIN`);
  expect(log.body.data).toMatchObject([
    { event: 'MEMBER.INVITED_BY_ADMIN', actor_type: 'admin', actor_id: suite.admin.id },
  ]);
});

test('an owner without an account is invited and becomes the owner by accepting the invitation', async () => {
  const email = 'new-owner@example.com';
  const created = await suite.asAdmin('POST', '/tenants', { name: 'Invited', owner_email: email });
  const token = await mailedToken(suite.app, email);
  const accepted = await suite.app.request({
    method: 'POST',
    url: '/api/v1/auth/accept-invitation',
    payload: { token, name: 'New Owner', password: 'correct horse battery staple' },
  });
  expect(accepted.status).toBe(200);
  const owner = await logIn(suite.app, email, 'tenant');
  const url = '/api/v1/tenant/products';
  const product = await suite.app.request({
    method: 'POST',
    url,
    headers: owner.auth,
    payload: { code: 'app', name: 'App' },
  });
  expect(product.status).toBe(201);
  const log = await suite.asAdmin('GET', `/tenants/${created.body.data.id}/audit-logs?event=MEMBER.JOINED`);
  expect(log.body.data).toMatchObject([{ actor_type: 'user', actor_id: owner.id }]);
});

describe('the status of a tenant', () => {
  const transitions = [
    { path: ['suspended'], events: ['TENANT.SUSPENDED'] },
    { path: ['suspended', 'suspended'], events: ['TENANT.SUSPENDED'] },
    { path: ['active'], events: [] },
    { path: ['suspended', 'active'], events: ['TENANT.REINSTATED', 'TENANT.SUSPENDED'] },
    { path: ['closed'], events: ['TENANT.CLOSED'] },
    { path: ['closed', 'closed'], events: ['TENANT.CLOSED'] },
    { path: ['suspended', 'closed'], events: ['TENANT.CLOSED', 'TENANT.SUSPENDED'] },
  ];
  test.each(transitions)('the transition to $path is allowed and audited once per change', async ({ path, events }) => {
    const { id } = (await suite.asAdmin('POST', '/tenants', { name: 'States' })).body.data;
    for (const status of path) {
      const changed = await suite.asAdmin('PATCH', `/tenants/${id}`, { status });
      expect(changed.status).toBe(200);
      expect(changed.body.data.status).toBe(status);
    }
    expect(await platformEvents(id)).toEqual([...events, 'TENANT.CREATED']);
  });

  test.each(['active', 'suspended'])('a closed tenant cannot become %s', async (status) => {
    const { id } = (await suite.asAdmin('POST', '/tenants', { name: 'Closed' })).body.data;
    await suite.asAdmin('PATCH', `/tenants/${id}`, { status: 'closed' });
    const refused = await suite.asAdmin('PATCH', `/tenants/${id}`, { status });
    expect(refused.status).toBe(409);
    expect(refused.body.error.code).toBe('TENANT.TRANSITION_INVALID');
    const renamed = await suite.asAdmin('PATCH', `/tenants/${id}`, { name: 'Renamed' });
    expect(renamed.status).toBe(409);
  });
});

describe("a tenant's own limits", () => {
  const names = ['products', 'licenses', 'activations', 'api_keys', 'webhooks', 'members'] as const;
  const rateName = 'integration_requests_per_minute';
  const limit = fc.option(fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constant('unlimited')));
  const rate = { [rateName]: fc.option(fc.integer({ min: 1, max: 9_000_000 })) };
  const change = fc.option(
    fc.record({ ...Object.fromEntries(names.map((name) => [name, limit])), ...rate }, { requiredKeys: [] }),
    { freq: 10 },
  );
  type Limits = Readonly<Record<string, number | 'unlimited' | null>>;

  /** Applies a change to the expected overrides. */
  function expectLimits(own: Map<string, number | 'unlimited'>, limits: Limits | null): void {
    if (limits === null) own.clear();
    for (const [name, value] of Object.entries(limits ?? {})) {
      if (value === null) own.delete(name);
      else own.set(name, value);
    }
  }

  async function createOnPlan(limits: object) {
    const plan = { code: newId(), name: 'Limited', limits };
    expect((await suite.asAdmin('POST', '/catalog/plans', plan)).status).toBe(201);
    return (await suite.asAdmin('POST', '/tenants', { name: 'Limits', plan_code: plan.code })).body.data;
  }

  test("after any changes, each limit is the last one set, and the plan's if none was set or null reset it", async () => {
    const planLimits = { products: 3, licenses: 10, api_keys: 5, [rateName]: 600 };
    const { id, limits: ofPlan } = await createOnPlan(planLimits);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        await suite.asAdmin('PATCH', `/tenants/${id}`, { limits: null });
        const own = new Map<string, number | 'unlimited'>();
        for (const limits of changes) {
          expectLimits(own, limits);
          const { status, body } = await suite.asAdmin('PATCH', `/tenants/${id}`, { limits });
          expect(status).toBe(200);
          const effective = [...own].map(([name, value]) => [name, value === 'unlimited' ? null : value]);
          expect(body.data.limit_overrides).toEqual(Object.fromEntries(own));
          expect(body.data.limits).toEqual({ ...ofPlan, ...Object.fromEntries(effective) });
        }
      }),
      { numRuns: 15 },
    );
  });

  test('a change of one limit keeps the others, and is audited with the old and new overrides', async () => {
    const { id } = await createOnPlan({ licenses: 10 });
    await suite.asAdmin('PATCH', `/tenants/${id}`, { limits: { [rateName]: 5, products: 2 } });
    await suite.asAdmin('PATCH', `/tenants/${id}`, { limits: { licenses: 'unlimited', products: null } });
    const read = await suite.asAdmin('GET', `/tenants/${id}`);
    expect(read.body.data).toMatchObject({
      limits: { [rateName]: 5, licenses: null, products: null },
      limit_overrides: { [rateName]: 5, licenses: 'unlimited' },
    });
    const records = (await suite.asAdmin('GET', `/audit?resource_id=${id}&event=TENANT.UPDATED`)).body.data;
    expect(records.map((record: { changes: unknown }) => record.changes)).toEqual([
      [
        {
          field: 'limits',
          old: { [rateName]: 5, products: 2 },
          new: { [rateName]: 5, licenses: 'unlimited' },
        },
      ],
      [{ field: 'limits', old: {}, new: { [rateName]: 5, products: 2 } }],
    ]);
  });
});

test('the creation of a tenant with an unknown plan is refused and creates nothing', async () => {
  const count = async () => (await suite.asAdmin('GET', '/tenants?limit=100')).body.data.length;
  const before = await count();
  const refused = await suite.asAdmin('POST', '/tenants', { name: 'A', plan_code: 'gold' });
  expect([refused.status, badFields(refused)]).toEqual([422, ['plan_code']]);
  expect(await count()).toBe(before);
});

test.each([
  { payload: { plan_code: 'gold' }, field: 'plan_code' },
  {
    payload: { limits: { integration_requests_per_minute: 'unlimited' } },
    field: 'limits.integration_requests_per_minute',
  },
  { payload: { limits: { licenses: 'none' } }, field: 'limits.licenses' },
  { payload: { limits: { requests: 5 } }, field: 'limits.requests' },
])('a change of a tenant to $payload is refused with status 422', async ({ payload, field }) => {
  const { id } = (await suite.asAdmin('POST', '/tenants', { name: 'Strict' })).body.data;
  const refused = await suite.asAdmin('PATCH', `/tenants/${id}`, payload);
  expect(refused.status).toBe(422);
  expect(refused.body.error.details[0].field).toBe(field);
});

test('tenants are found by the beginnings of words of their name in any case, by id and by status', async () => {
  const { id } = (await suite.asAdmin('POST', '/tenants', { name: 'Wildcard 100%_x' })).body.data;
  const found = async (query: string) =>
    (await suite.asAdmin('GET', `/tenants?${query}`)).body.data.map((row: { id: string }) => row.id);
  expect(await found('q=100%25_X')).toEqual([id]);
  expect(await found(`q=${id}`)).toEqual([id]);
  expect(await found('q=100%25%25x')).toEqual([]);
  await suite.asAdmin('PATCH', `/tenants/${id}`, { status: 'suspended' });
  expect(await found('status=suspended&limit=100')).toContain(id);
  expect(await found('status=active&limit=100')).not.toContain(id);
});

test('reading or changing an unknown tenant is refused with status 404', async () => {
  for (const id of ['01890000-0000-7000-8000-000000000000', 'no-uuid']) {
    expect((await suite.asAdmin('GET', `/tenants/${id}`)).status).toBe(404);
    expect((await suite.asAdmin('PATCH', `/tenants/${id}`, { name: 'A' })).status).toBe(404);
  }
});

test('admins of every role may manage tenants, and users may not', async () => {
  for (const role of ['admin', 'billing_readonly', 'billing_admin'] as const) {
    const { auth } = await createAdmin(suite.app, role);
    expect((await suite.app.request({ method: 'GET', url: '/api/v1/admin/tenants', headers: auth })).status).toBe(200);
  }
  const tenant = await suite.newTenant();
  const refused = await suite.app.request({ method: 'GET', url: '/api/v1/admin/tenants', headers: tenant.owner.auth });
  expect(refused.status).toBe(401);
});

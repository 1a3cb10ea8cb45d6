import { beforeAll, describe, expect, test } from 'vitest';
import type { AdminRole } from '../../src/db/tables/platform/identity.ts';
import { type AdminArea, adminRoleNames, adminRoles } from '../../src/http/routes/admin-roles.ts';
import { newId } from '../../src/lib/ids.ts';
import { newAccessToken } from '../accounts/access-tokens.ts';
import { me } from '../accounts/people.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { type Answer, useApp } from '../support/harness.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import { fillPath, type LiveRoute, liveRoutes, unknownValues } from '../support/routes.ts';
import { countAllRows } from '../support/row-counts.ts';

const suite = useApp();
const accounts = {} as Record<AdminRole, Account>;
let tenant: TestTenant;
let data: LicensingData;

beforeAll(async () => {
  for (const role of adminRoleNames) accounts[role] = await createAdmin(suite.app, role);
  tenant = await createTenant(suite.app, accounts.super_admin);
  data = await createLicensingData(tenant);
  await newAccessToken(tenant, { role: 'admin' });
});

const base = '/api/v1/admin';
const operations = () => liveRoutes(suite.app).filter(({ path }) => path.startsWith(`${base}/`));

/** The area of an operation, by the contract and not by the declaration of its route. */
function areaOf({ method, path }: Pick<LiveRoute, 'method' | 'path'>): AdminArea {
  const isRead = method === 'GET';
  if (path.startsWith(`${base}/billing/`)) return 'billing';
  if (/^\/api\/v1\/admin\/(subscriptions|invoices)\b/.test(path)) return isRead ? 'platform' : 'billing';
  if (path.startsWith(`${base}/account`)) return 'account';
  if (path === `${base}/admins/roles`) return 'platform';
  if (path.startsWith(`${base}/admins`)) return 'admins';
  return path === `${base}/demo-data` && !isRead ? 'admins' : 'platform';
}

function mayCall(role: AdminRole, route: Pick<LiveRoute, 'method' | 'path'>): boolean {
  const access = adminRoles[role].rights[areaOf(route)];
  return access === 'write' || (access === 'read' && route.method === 'GET');
}

/** Sends an operation with unknown ids and without a body, so that a write that is permitted changes nothing. */
function send(role: AdminRole, { method, path }: LiveRoute, id: string = newId()): Promise<Answer> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]));
  const values = Object.fromEntries(names.map((name) => [name, name === 'tenantId' ? tenant.id : id]));
  return suite.app.request({ method, url: fillPath(path, values), headers: accounts[role].auth });
}

const roleErrors = ['AUTH.ROLE_REQUIRED', 'BILLING.ROLE_REQUIRED'];

test.each(adminRoleNames)('the role %s is admitted by exactly the operations that the table names', async (role) => {
  const all = operations();
  expect(all.length).toBeGreaterThan(120);
  const outcomes: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const route of all) {
    const { status, body } = await send(role, route);
    const code = body?.error?.code;
    outcomes[route.title] = status === 403 && roleErrors.includes(code) ? code : 'admitted';
    const refusal = areaOf(route) === 'billing' ? 'BILLING.ROLE_REQUIRED' : 'AUTH.ROLE_REQUIRED';
    expected[route.title] = mayCall(role, route) ? 'admitted' : refusal;
  }
  expect(outcomes).toEqual(expected);
});

test('the OpenAPI document names for each operation of admins the roles that the table names', () => {
  const paths = suite.app.http.swagger().paths as Record<string, Record<string, { readonly description: string }>>;
  for (const route of operations()) {
    const { description } = paths[route.path]?.[route.method.toLowerCase()] ?? {};
    const roles = adminRoleNames.filter((role) => mayCall(role, route)).map((role) => `\`${role}\``);
    expect([route.title, description?.match(/Admin roles: (.*)\.$/)?.[1]]).toEqual([route.title, roles.join(', ')]);
  }
});

test('every admin reads the table of roles, and their own rights', async () => {
  const roles = adminRoleNames.map((role) => ({ role, ...adminRoles[role] }));
  for (const role of adminRoleNames) {
    const { auth: headers } = accounts[role];
    const answer = await suite.app.request({ method: 'GET', url: `${base}/admins/roles`, headers });
    expect([answer.status, answer.body.data]).toEqual([200, roles]);
    expect((await me(suite.app, headers)).body.data.admin).toMatchObject({ role, rights: adminRoles[role].rights });
  }
});

describe('an auditor', () => {
  test('an auditor reads every operation that an admin or billing_readonly reads', () => {
    for (const route of operations().filter(({ method }) => method === 'GET')) {
      const isReadBelow = mayCall('admin', route) || mayCall('billing_readonly', route);
      expect([route.title, mayCall('auditor', route)]).toEqual([route.title, isReadBelow]);
    }
  });

  test('a write of an auditor is refused before its body and its tenant are read, and writes nothing', async () => {
    const { platform } = suite.app.services;
    const before = await countAllRows(suite.app, tenant.id);
    const writes = operations().filter((route) => !mayCall('auditor', route));
    for (const route of writes) {
      const url = fillPath(route.path, unknownValues());
      const headers = { ...accounts.auditor.auth, 'content-type': 'application/json' };
      const { method, title } = route;
      const answer = await suite.app.request({ method, url, headers, ...(method !== 'GET' && { payload: '{' }) });
      expect([title, answer.status, roleErrors.includes(answer.body.error.code)]).toEqual([title, 403, true]);
    }
    expect(await countAllRows(suite.app, tenant.id)).toEqual(before);
    const logged = await platform.query
      .selectFrom('billing_authorization_log')
      .select(['role', 'allowed'])
      .where('admin_id', '=', accounts.auditor.id)
      .execute();
    expect(new Set(logged.map(({ role, allowed }) => `${role} ${allowed}`))).toEqual(new Set(['auditor 0']));
  });

  test('an auditor sees no credential in any response', async () => {
    const ids = [...new Set(Object.values(data)), tenant.id, tenant.owner.id, tenant.apiKeyId];
    const secrets =
      /(?:vx|service)_[0-9a-f]{64}|whsec_[A-Za-z0-9+/]{16,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+|\$argon2|[#?&]token=/;
    let found = 0;
    for (const route of operations().filter((one) => one.method === 'GET' && mayCall('auditor', one))) {
      for (const id of route.path.replace('{tenantId}', '').includes('{') ? ids : [tenant.id]) {
        const answer = await send('auditor', route, id);
        if (answer.status === 200) found += 1;
        expect([route.title, secrets.exec(answer.text)?.[0]]).toEqual([route.title, undefined]);
      }
    }
    expect(found).toBeGreaterThan(45);
  });

  test('an auditor changes their own account: name, sessions, second factor and logout', async () => {
    const own = await createAdmin(suite.app, 'auditor');
    const call = async (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      (await suite.app.request({ method, url, headers: own.auth, ...(payload && { payload }) })).status;
    expect([
      await call('PUT', `${base}/account`, { name: 'Audra Tor' }),
      await call('DELETE', `${base}/account/sessions`),
      await call('POST', '/api/v1/auth/two-factor/setup', { password: 'correct horse battery staple' }),
      await call('POST', '/api/auth/logout'),
    ]).toEqual([200, 200, 200, 200]);
    expect((await me(suite.app, own.auth)).status).toBe(401);
  });

  test('a version that does not know auditors finds a disabled admin, whether the auditor is enabled or not', async () => {
    const { query } = suite.app.services.platform;
    const stored = (id: string) =>
      query.selectFrom('admins').select(['role', 'disabled_at']).where('id', '=', id).executeTakeFirst();
    const change = (id: string, payload: object) =>
      suite.app.request({ method: 'PATCH', url: `${base}/admins/${id}`, headers: accounts.super_admin.auth, payload });
    const refused = { role: 'admin', disabled_at: expect.any(String) };
    const { id } = await createAdmin(suite.app, 'auditor');
    expect(await stored(id)).toEqual(refused);
    await change(id, { disabled: true });
    expect(await stored(id)).toEqual(refused);
    await change(id, { disabled: false });
    expect(await stored(id)).toEqual(refused);
    await change(id, { role: 'billing_admin' });
    expect(await stored(id)).toEqual({ role: 'billing_admin', disabled_at: null });
    await change(id, { role: 'auditor' });
    expect(await stored(id)).toEqual(refused);
  });
});

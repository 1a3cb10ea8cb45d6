import { beforeAll, expect, test } from 'vitest';
import type { StoredAdminRole } from '../../src/db/tables/platform/identity.ts';
import { type Account, addAdmin, addUser, createAdmin, testPassword } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { oneTimeCode } from '../support/one-time-code.ts';
import { arrivalOf, openBrowser, signOn, signOnForToken, useSingleSignOn } from '../support/single-sign-on.ts';
import { auditOf, login } from './people.ts';

const clock = useClock();
const suite = useSingleSignOn({ ADMIN_TWO_FACTOR: 'required' });

/** A super_admin who can log in with a password, so that others may lose the role. */
let root: Account;
beforeAll(async () => {
  root = await createAdmin(suite.app);
});

let people = 0;
function freshEmail() {
  people += 1;
  return `chief-${people}@example.com`;
}

function freshAdmin(licensing_role: unknown, email = freshEmail()) {
  return { email, id: suite.provider.addPerson({ email, email_verified: true, name: 'Grace Hopper', licensing_role }) };
}

/** Returns the newest failures of admins' logins, with their reasons. */
async function failures(): Promise<unknown[]> {
  const rows = await suite.app.services.platform.query
    .selectFrom('audit_logs')
    .select(['actor_id', 'changes_json'])
    .where('event', '=', 'ADMIN.LOGIN_FAILED')
    .orderBy('occurred_at')
    .orderBy('id')
    .execute();
  return rows.map(({ actor_id, changes_json }) => [actor_id, JSON.parse(changes_json)]);
}

const failed = (reason: string) => [
  null,
  [
    { field: 'method', old: null, new: 'oidc' },
    { field: 'reason', old: null, new: reason },
  ],
];

test('an unknown person with a role gets an admin with it, who can work although ADMIN_TWO_FACTOR is required', async () => {
  const { app } = suite;
  const { id, email } = freshAdmin('billing_admin');
  const answer = await signOnForToken(app, id, 'admin');
  expect(answer.status, answer.text).toBe(200);
  const { admin, ability, access_token, expires_at } = answer.body.data;
  expect([ability, admin.email, admin.role, admin.name]).toEqual(['admin', email, 'billing_admin', 'Grace Hopper']);
  expect(Date.parse(expires_at)).toBe(Date.now() + 12 * 3_600_000);
  const headers = { authorization: `Bearer ${access_token}` };
  expect((await app.request({ method: 'GET', url: '/api/v1/admin/tenants', headers })).status).toBe(200);
  // The others still need it.
  expect((await app.request({ method: 'GET', url: '/api/v1/admin/tenants', headers: root.auth })).status).toBe(403);
  const records = await auditOf(app, admin.id);
  // The first two have the same time, so they have no order.
  expect(records.map(({ event }) => event).sort()).toEqual(['ADMIN.CREATED', 'ADMIN.IDENTITY_LINKED', 'ADMIN.LOGIN']);
  const logged = records.find(({ event }) => event === 'ADMIN.LOGIN');
  expect(JSON.parse(logged?.changes_json ?? '')).toEqual([{ field: 'method', old: null, new: 'oidc' }]);
  expect((await login(app, { email, ability: 'admin' })).status).toBe(401);
});

test('an admin with a password is linked once by the verified address', async () => {
  const { app } = suite;
  const { id, email } = await addAdmin(app, 'admin');
  const first = await signOnForToken(app, freshAdmin('admin', email).id, 'admin');
  expect(first.body.data.admin.id).toBe(id);
  const second = await signOn(app, freshAdmin('admin', email).id, { ability: 'admin' });
  expect(second.body.error.code).toBe('AUTH.SSO_IDENTITY_TAKEN');
  expect((await login(app, { email, ability: 'admin' })).status).toBe(200);
});

test('the role follows the claim at each login, from the next request of every session on', async () => {
  const { app, provider } = suite;
  const email = freshEmail();
  const claims = { email, email_verified: true, licensing_role: 'super_admin' };
  const person = provider.addPerson(claims);
  const { access_token, admin } = (await signOnForToken(app, person, 'admin')).body.data;
  const list = () =>
    app.request({ method: 'GET', url: '/api/v1/admin/admins', headers: { authorization: `Bearer ${access_token}` } });
  expect((await list()).status).toBe(200);
  Object.assign(claims, { licensing_role: 'auditor' });
  expect((await signOnForToken(app, person, 'admin')).body.data.admin.role).toBe('auditor');
  expect((await list()).body.error.code).toBe('AUTH.ROLE_REQUIRED');
  Object.assign(claims, { licensing_role: 'billing_readonly' });
  expect((await signOnForToken(app, person, 'admin')).body.data.admin.role).toBe('billing_readonly');
  expect((await list()).body.error.code).toBe('AUTH.ROLE_REQUIRED');
  const change = (await auditOf(app, admin.id)).find(({ event }) => event === 'ADMIN.UPDATED');
  expect(JSON.parse(change?.changes_json ?? '')).toEqual([{ field: 'role', old: 'super_admin', new: 'auditor' }]);
});

test.each([
  ['is missing', undefined],
  ['names no role', 'owner'],
  ['has another case', 'SUPER_ADMIN'],
  ['lists several roles', ['admin', 'super_admin']],
  ['is an object', { super_admin: true }],
  ['is a property of every object', 'constructor'],
  ['is empty', ''],
])('a person whose role claim %s is refused, which is recorded', async (_case, value) => {
  const { app } = suite;
  const { id, email } = freshAdmin(value);
  const answer = await signOn(app, id, { ability: 'admin' });
  expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH.SSO_ROLE_MISSING']);
  expect((await failures()).at(-1)).toEqual(failed('AUTH.SSO_ROLE_MISSING'));
  const found = await app.services.platform.query
    .selectFrom('admins')
    .select('id')
    .where('email', '=', email)
    .execute();
  expect(found).toEqual([]);
});

test('a list with one role of this service among others names that role', async () => {
  const { id } = freshAdmin(['staff', 'billing_readonly']);
  const answer = await signOnForToken(suite.app, id, 'admin');
  expect(answer.body.data.admin.role).toBe('billing_readonly');
});

test('a linked admin whose claim is withdrawn is refused', async () => {
  const { app, provider } = suite;
  const claims = { email: freshEmail(), email_verified: true, licensing_role: 'admin' };
  const person = provider.addPerson(claims);
  expect((await signOnForToken(app, person, 'admin')).status).toBe(200);
  Object.assign(claims, { licensing_role: undefined });
  expect((await signOn(app, person, { ability: 'admin' })).body.error.code).toBe('AUTH.SSO_ROLE_MISSING');
});

test('an unverified address gives no admin, and a login of a user gives no rights of an admin', async () => {
  const { app, provider } = suite;
  const { email } = await addAdmin(app, 'super_admin');
  const forged = provider.addPerson({ email, email_verified: false, licensing_role: 'super_admin' });
  expect((await signOn(app, forged, { ability: 'admin' })).body.error.code).toBe('AUTH.SSO_EMAIL_UNVERIFIED');
  const user = await addUser(app);
  const person = provider.addPerson({ email: user.email, email_verified: true, licensing_role: 'super_admin' });
  const { ability, access_token } = (await signOnForToken(app, person, 'tenant')).body.data;
  expect(ability).toBe('tenant');
  const headers = { authorization: `Bearer ${access_token}` };
  expect((await app.request({ method: 'GET', url: '/api/v1/admin/tenants', headers })).status).toBe(401);
});

test('a disabled admin stays disabled, and the failure is recorded', async () => {
  const { app } = suite;
  const { id: adminId, email } = await addAdmin(app, 'admin');
  const at = app.services.clock.now();
  await app.services.platform.query.updateTable('admins').set({ disabled_at: at }).where('id', '=', adminId).execute();
  const answer = await signOn(app, freshAdmin('super_admin', email).id, { ability: 'admin' });
  expect(answer.body.error.code).toBe('AUTH.SSO_ACCOUNT_DISABLED');
  expect((await failures()).at(-1)).toEqual(failed('AUTH.SSO_ACCOUNT_DISABLED'));
  const row = app.services.platform.query.selectFrom('admins').select('role').where('id', '=', adminId);
  expect((await row.executeTakeFirst())?.role).toBe('admin');
});

test('the claim cannot take the role from the last super_admin who has a password', async () => {
  const { app, provider } = suite;
  const { query } = app.services.platform;
  const others = await query
    .selectFrom('admins')
    .select('id')
    .where('role', '=', 'super_admin')
    .where('id', '!=', root.id)
    .execute();
  const setRole = (role: StoredAdminRole) =>
    query
      .updateTable('admins')
      .set({ role })
      .where('id', 'in', ['none', ...others.map(({ id }) => id)])
      .execute();
  await setRole('admin');
  const claims = { email: root.email, email_verified: true, licensing_role: 'super_admin' };
  const person = provider.addPerson(claims);
  expect((await signOnForToken(app, person, 'admin')).status).toBe(200);
  Object.assign(claims, { licensing_role: 'admin' });
  const answer = await signOn(app, person, { ability: 'admin' });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'ADMIN.LAST_SUPER_ADMIN']);
  await setRole('super_admin');
});

test('an account with an authenticator app needs its code too, and the first code stays valid until then', async () => {
  const { app } = suite;
  const admin = await createAdmin(app, 'admin');
  const send = (path: string, payload: object) =>
    app.request({ method: 'POST', url: `/api/v1/auth/two-factor${path}`, headers: admin.auth, payload });
  const { secret } = (await send('/setup', { password: testPassword })).body.data;
  app.secrets.note(secret);
  await send('/confirm', { code: oneTimeCode(secret) });
  clock.advance(30_000);
  const browser = openBrowser(app);
  const { code } = arrivalOf(await signOn(app, freshAdmin('admin', admin.email).id, { ability: 'admin', browser }));
  const outcome = async (fields: object) => {
    const { status, body } = await browser.exchange(code, fields);
    return [status, body.error?.code];
  };
  expect(await outcome({})).toEqual([401, 'AUTH.TWO_FACTOR_REQUIRED']);
  expect(await outcome({ two_factor_code: '000000' })).toEqual([401, 'AUTH.TWO_FACTOR_INVALID']);
  expect(await failures()).toContainEqual([null, [{ field: 'method', old: null, new: 'oidc' }]]);
  expect(await outcome({ two_factor_code: oneTimeCode(secret) })).toEqual([200, undefined]);
});

test('failed logins with the provider do not lock the login with the password', async () => {
  const { app } = suite;
  const { email } = await addAdmin(app, 'admin');
  const person = freshAdmin('none', email).id;
  for (let attempt = 0; attempt < 6; attempt += 1) await signOn(app, person, { ability: 'admin' });
  expect((await login(app, { email, ability: 'admin' })).status).toBe(200);
});

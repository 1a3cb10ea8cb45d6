import { expect, test } from 'vitest';
import { type Account, createAdmin, freshAddress, logIn, testPassword } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { auditOf, login, me } from './people.ts';

const suite = useApp();
const newPassword = 'a password that is new';

const asAdmin = ({ auth }: Account, method: 'GET' | 'PUT' | 'DELETE', path = '', payload?: object) =>
  suite.app.request({
    method,
    url: `/api/v1/admin/account${path}`,
    headers: auth,
    remoteAddress: freshAddress(),
    ...(payload && { payload }),
  });

test('an admin of any role lists the own sessions and ends one of them or all others', async () => {
  const { app } = suite;
  const admin = await createAdmin(app, 'billing_readonly');
  await createAdmin(app);
  const [second, third] = [await logIn(app, admin.email, 'admin'), await logIn(app, admin.email, 'admin')];
  const { data } = (await asAdmin(admin, 'GET', '/sessions')).body;
  expect(data.map(({ current }: { current: boolean }) => current)).toEqual([false, false, true]);
  const id = data[1].id;
  const revoked = await asAdmin(admin, 'DELETE', `/sessions/${id}`);
  expect([revoked.status, revoked.body.data]).toEqual([200, { deleted: true, id }]);
  expect((await asAdmin(admin, 'DELETE', `/sessions/${id}`)).status).toBe(404);
  expect((await asAdmin(admin, 'DELETE', '/sessions')).body.data).toEqual({ revoked_count: 1 });
  const statuses = [admin, second, third].map(async ({ auth }) => (await me(app, auth)).status);
  expect(await Promise.all(statuses)).toEqual([200, 401, 401]);
  expect(await auditOf(app, id)).toMatchObject([
    { event: 'ACCOUNT.SESSION_REVOKED', actor_type: 'admin', actor_id: admin.id },
  ]);
});

test('sessions of other admins, and of a user, cannot be ended', async () => {
  const [admin, other] = [await createAdmin(suite.app), await createAdmin(suite.app)];
  const [{ id }] = (await asAdmin(other, 'GET', '/sessions')).body.data;
  expect((await asAdmin(admin, 'DELETE', `/sessions/${id}`)).status).toBe(404);
  await asAdmin(admin, 'DELETE', '/sessions');
  expect((await me(suite.app, other.auth)).status).toBe(200);
});

test('a new password keeps the session of the request, ends the others, and is mailed and audited', async () => {
  const { app } = suite;
  const admin = await createAdmin(app, 'admin');
  const elsewhere = await logIn(app, admin.email, 'admin');
  const wrong = await asAdmin(admin, 'PUT', '', { current_password: 'wrong', password: newPassword });
  expect([wrong.status, wrong.body.error.details[0].field]).toEqual([422, 'current_password']);
  const changed = await asAdmin(admin, 'PUT', '', {
    name: 'Grace B',
    current_password: testPassword,
    password: newPassword,
  });
  expect([changed.status, changed.body.data]).toEqual([200, (await asAdmin(admin, 'GET')).body.data]);
  expect(changed.body.data).toMatchObject({ id: admin.id, name: 'Grace B', role: 'admin' });
  const statuses = [admin, elsewhere].map(async ({ auth }) => (await me(app, auth)).status);
  expect(await Promise.all(statuses)).toEqual([200, 401]);
  const logins = [testPassword, newPassword].map(
    async (password) => (await login(app, { email: admin.email, ability: 'admin', password })).status,
  );
  expect(await Promise.all(logins)).toEqual([401, 200]);
  expect((await mailsTo(app, admin.email)).at(-1)).toContain('/admin/account');
  const events = (await auditOf(app, admin.id)).map(({ event }) => event);
  expect(events).toEqual(expect.arrayContaining(['ACCOUNT.UPDATED', 'ACCOUNT.PASSWORD_CHANGED']));
});

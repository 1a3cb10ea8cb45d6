import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  freshAddress,
  logIn,
  testPassword,
} from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { auditOf, login, me } from './people.ts';

const suite = useApp();
let user: Account;

beforeAll(async () => {
  user = await createUser(suite.app);
});

const newPassword = 'a wholly different passphrase';

function change(account: Account, payload: object, remoteAddress = freshAddress()) {
  return suite.app.request({ method: 'PUT', url: '/api/v1/account', headers: account.auth, payload, remoteAddress });
}

test('a changed name shows in the next request and is audited once', async () => {
  const answer = await change(user, { name: 'Augusta Ada King' });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toMatchObject({ id: user.id, name: 'Augusta Ada King', deletion_scheduled_for: null });
  expect((await me(suite.app, user.auth)).body.data.user.name).toBe('Augusta Ada King');
  await change(user, { name: 'Augusta Ada King' });
  await change(user, {});
  expect(await auditOf(suite.app, user.id)).toMatchObject([
    {
      event: 'ACCOUNT.UPDATED',
      actor_type: 'user',
      actor_id: user.id,
      changes_json: JSON.stringify([{ field: 'name', old: 'Ada Lovelace', new: 'Augusta Ada King' }]),
    },
  ]);
});

test('a new password revokes every other token, keeps the token of the request, and sends a mail', async () => {
  const account = await createUser(suite.app);
  const elsewhere = await logIn(suite.app, account.email, 'tenant');
  suite.app.secrets.note(newPassword);
  const answer = await change(account, { current_password: testPassword, password: newPassword });
  expect([answer.status, answer.body.data.id]).toEqual([200, account.id]);
  expect((await me(suite.app, account.auth)).status).toBe(200);
  expect((await me(suite.app, elsewhere.auth)).status).toBe(401);
  expect((await login(suite.app, { email: account.email })).status).toBe(401);
  expect((await login(suite.app, { email: account.email, password: newPassword })).status).toBe(200);
  expect((await mailsTo(suite.app, account.email)).join()).toContain('password of your account was changed');
  const [record] = await auditOf(suite.app, account.id);
  expect(record).toMatchObject({ event: 'ACCOUNT.PASSWORD_CHANGED', changes_json: '[]' });
});

describe('bad input', () => {
  test.each<[string, object, string]>([
    ['a wrong password', { current_password: 'something else here', password: newPassword }, 'current_password'],
    ['no current password', { password: newPassword }, 'current_password'],
    ['no new password', { current_password: testPassword }, 'password'],
    ['a short password', { current_password: testPassword, password: 'short' }, 'password'],
    ['a name with surrounding space', { name: ' Ada ' }, 'name'],
    ['no name', { name: null }, 'name'],
    ['an email address', { email: 'other@example.com' }, 'email'],
  ])('a change of the account with %s is refused and changes nothing', async (_title, payload, field) => {
    const before = (await me(suite.app, user.auth)).body.data;
    const answer = await change(user, payload);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
    expect((await me(suite.app, user.auth)).body.data).toEqual(before);
    expect((await login(suite.app, { email: user.email })).status).toBe(200);
  });
});

test('five wrong current passwords lock password changes, but neither other changes nor logins', async () => {
  const account = await createUser(suite.app);
  const address = freshAddress();
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const answer = await change(account, { current_password: `wrong ${attempt}`, password: newPassword }, address);
    expect(answer.status).toBe(422);
  }
  const locked = await change(account, { current_password: testPassword, password: newPassword }, address);
  expect([locked.status, locked.body.error.code]).toEqual([429, 'AUTH.LOCKED_OUT']);
  expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
  expect((await change(account, { name: 'Ada' }, address)).status).toBe(200);
  expect((await login(suite.app, { email: account.email }, address)).status).toBe(200);
});

test('of two concurrent password changes exactly one succeeds', async () => {
  const account = await createUser(suite.app);
  const passwords = ['the first new passphrase', 'the second new passphrase'];
  for (const password of passwords) suite.app.secrets.note(password);
  const answers = await Promise.all(
    passwords.map((password) => change(account, { current_password: testPassword, password })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const logins = await Promise.all(passwords.map((password) => login(suite.app, { email: account.email, password })));
  expect(logins.map(({ status }) => status)).toEqual(statuses.map((status) => (status === 200 ? 200 : 401)));
});

test("the account route returns the caller's account for any X-Tenant-ID and refuses admins", async () => {
  const admin = await createAdmin(suite.app);
  const tenant = await createTenant(suite.app, admin);
  const read = (headers: object) =>
    suite.app.request({ method: 'GET', url: '/api/v1/account', headers: { ...headers } });
  const own = await read({ ...user.auth, 'x-tenant-id': tenant.id });
  expect([own.status, own.body.data.id]).toEqual([200, user.id]);
  expect((await read(admin.auth)).status).toBe(401);
});

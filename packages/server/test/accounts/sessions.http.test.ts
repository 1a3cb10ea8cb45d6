import { beforeAll, expect, test } from 'vitest';
import { type Account, createAdmin, createUser, freshAddress, logIn } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { asUser } from './account-data.ts';
import { auditOf, login, me } from './people.ts';

const suite = useApp();
const clock = useClock();
let user: Account;

beforeAll(async () => {
  user = await createUser(suite.app);
});

interface Session {
  readonly id: string;
  readonly ip: string | null;
  readonly current: boolean;
}

const list = async (account: Account, query = '') =>
  (await asUser(suite.app, account, 'GET', `/sessions${query}`)).body as {
    readonly data: readonly Session[];
    readonly meta: { readonly next_cursor: string | null };
  };

async function currentIdOf(account: Account): Promise<string> {
  return (await list(account)).data.find(({ current }) => current)?.id ?? '';
}

test('the list of sessions has the device, the times and the current one, newest first, without tokens and other users', async () => {
  await createUser(suite.app);
  clock.advance(1000);
  const address = freshAddress();
  await login(suite.app, { email: user.email, device_name: 'Firefox on Linux' }, address);
  const { data } = await list(user);
  expect(data).toEqual([
    {
      id: expect.any(String),
      device_name: 'Firefox on Linux',
      ip: address,
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: expect.any(String),
      current: false,
    },
    {
      id: expect.any(String),
      device_name: null,
      ip: expect.any(String),
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
      current: true,
    },
  ]);
  const first = await list(user, '?limit=1');
  const second = await list(user, `?limit=1&cursor=${first.meta.next_cursor}`);
  expect([...first.data, ...second.data]).toEqual(data);
  expect(second.meta.next_cursor).toBeNull();
});

test('a session has the client address of its last use, or of the login until then', async () => {
  const account = await createUser(suite.app);
  const [loginAddress, later] = [freshAddress(), freshAddress()];
  const { body } = await login(suite.app, { email: account.email }, loginAddress);
  const addressOf = async () => (await list(account)).data.find(({ current }) => !current)?.ip;
  expect(await addressOf()).toBe(loginAddress);
  const headers = { authorization: `Bearer ${body.data.access_token}` };
  await suite.app.request({ method: 'GET', url: '/api/auth/me', headers, remoteAddress: later });
  expect(await addressOf()).toBe(later);
});

test('an expired session is not listed', async () => {
  const account = await createUser(suite.app);
  await logIn(suite.app, account.email, 'tenant');
  clock.advance(29 * 86_400_000);
  const recent = await logIn(suite.app, account.email, 'tenant');
  expect((await list(recent)).data).toHaveLength(3);
  clock.advance(86_400_001);
  expect((await list(recent)).data).toMatchObject([{ current: true }]);
});

test('a revoked session is refused from the next request on and is audited once, and the others stay', async () => {
  const account = await createUser(suite.app);
  const elsewhere = await logIn(suite.app, account.email, 'tenant');
  const third = await logIn(suite.app, account.email, 'tenant');
  const id = await currentIdOf(elsewhere);
  const revoked = await asUser(suite.app, account, 'DELETE', `/sessions/${id}`);
  expect([revoked.status, revoked.body.data]).toEqual([200, { deleted: true, id }]);
  const statuses = [account, elsewhere, third].map(async ({ auth }) => (await me(suite.app, auth)).status);
  expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
  expect((await asUser(suite.app, account, 'DELETE', `/sessions/${id}`)).status).toBe(404);
  expect(await auditOf(suite.app, id)).toMatchObject([
    { event: 'ACCOUNT.SESSION_REVOKED', actor_type: 'user', actor_id: account.id },
  ]);
});

test('the session of the request can be revoked too', async () => {
  const account = await createUser(suite.app);
  expect((await asUser(suite.app, account, 'DELETE', `/sessions/${await currentIdOf(account)}`)).status).toBe(200);
  expect((await me(suite.app, account.auth)).status).toBe(401);
});

test('sessions of another user, and of an admin with the same address, are neither listed nor revoked', async () => {
  const [account, other] = [await createUser(suite.app), await createUser(suite.app)];
  const id = await currentIdOf(other);
  const refused = await asUser(suite.app, account, 'DELETE', `/sessions/${id}`);
  expect([refused.status, refused.body.error.code]).toEqual([404, 'RESOURCE.NOT_FOUND']);
  await asUser(suite.app, account, 'DELETE', '/sessions');
  expect((await me(suite.app, other.auth)).status).toBe(200);
  const admin = await createAdmin(suite.app);
  expect((await asUser(suite.app, admin, 'GET', '/sessions')).status).toBe(401);
});

test('revoking all other sessions keeps the session of the request, and is audited only if it ended one', async () => {
  const account = await createUser(suite.app);
  const others = [await logIn(suite.app, account.email, 'tenant'), await logIn(suite.app, account.email, 'tenant')];
  const revoked = await asUser(suite.app, account, 'DELETE', '/sessions');
  expect([revoked.status, revoked.body.data]).toEqual([200, { revoked_count: 2 }]);
  const statuses = [account, ...others].map(async ({ auth }) => (await me(suite.app, auth)).status);
  expect(await Promise.all(statuses)).toEqual([200, 401, 401]);
  expect((await asUser(suite.app, account, 'DELETE', '/sessions')).body.data).toEqual({ revoked_count: 0 });
  const events = (await auditOf(suite.app, account.id)).map(({ event }) => event);
  expect(events).toEqual(['ACCOUNT.OTHER_SESSIONS_REVOKED']);
});

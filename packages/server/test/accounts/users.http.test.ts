import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { addUser, createUser, joinTenant, logIn, useAdmin } from '../support/accounts.ts';
import { startApp, stopApp, useClock } from '../support/harness.ts';
import { mailedToken, mailsTo } from '../support/mails.ts';
import { addTenantRow, auditOf, login, me, post } from './people.ts';

useClock();
const suite = useAdmin();

const url = '/api/v1/admin/users';
const get = (path: string) => suite.app.request({ method: 'GET', url: `${url}${path}`, headers: suite.admin.auth });
const act = (id: string, action: string, app = suite.app) =>
  app.request({ method: 'POST', url: `${url}/${id}/${action}`, headers: suite.admin.auth });
const found = async (q: string) =>
  (await get(`?q=${encodeURIComponent(q)}`)).body.data.map((user: { email: string }) => user.email);

async function addNamed(email: string, name: string): Promise<string> {
  const { platform, clock } = suite.app.services;
  const at = clock.now();
  const row = { id: newId(), email, name, password_hash: null, email_verified_at: null, disabled_at: null };
  await platform.query
    .insertInto('users')
    .values({ ...row, created_at: at, updated_at: at })
    .execute();
  return row.id;
}

describe('finding a user', () => {
  test('the id, the beginning of the address and the beginning of the name find a user, whatever the case', async () => {
    const id = await addNamed('zoe.search@example.com', 'Zoë 100%_Ångström');
    await addNamed('zoltan@example.com', 'Zoltan');
    for (const q of ['zoe.search@example.com', 'ZOE.s', 'zoë 100%_', 'ZOë 100', id]) {
      expect([q, await found(q)]).toEqual([q, ['zoe.search@example.com']]);
    }
    for (const q of ['search', 'zoe_', 'Ångström', '%', newId()]) expect([q, await found(q)]).toEqual([q, []]);
    expect(await found('zo')).toEqual(['zoltan@example.com', 'zoe.search@example.com']);
  });

  test('the last name finds a user, in any case, and a name without a space is found once', async () => {
    await addNamed('one@example.com', 'Wilhelmina Featherstone');
    await addNamed('two@example.com', 'Maria van der Feather');
    await addNamed('three@example.com', 'Featherlight');
    expect(await found('FEATHER')).toEqual(['three@example.com', 'one@example.com']);
    expect(await found('featherst')).toEqual(['one@example.com']);
    expect(await found('van der f')).toEqual(['two@example.com']);
    for (const q of ['stone', 'mina Feather']) expect([q, await found(q)]).toEqual([q, []]);
  });

  test('the pages of a search show every user once, newest first', async () => {
    const emails = ['page-1@example.com', 'page-2@example.com', 'page-3@example.com'];
    for (const email of emails) await addNamed(email, 'Page');
    const first = await get('?q=page-&limit=2');
    const second = await get(`?q=page-&limit=2&cursor=${first.body.meta.next_cursor}`);
    const rows = [...first.body.data, ...second.body.data].map((user: { email: string }) => user.email);
    expect(rows).toEqual(emails.toReversed());
    expect(second.body.meta.next_cursor).toBeNull();
  });

  test.each(['%00', '', 'x'.repeat(255)])('the search %j is refused', async (q) => {
    expect((await get(`?q=${q}`)).status).toBe(422);
  });
});

test('a user is shown with memberships, sessions and two-factor authentication, and without any secret', async () => {
  const { app } = suite;
  const user = await createUser(app);
  const [own, other] = [await addTenantRow(app, 'Own'), await addTenantRow(app, 'Closed', 'closed')];
  await joinTenant(app, user, own.id, 'owner');
  await joinTenant(app, user, other.id, 'viewer');
  const answer = await get(`/${user.id}`);
  expect(answer.body.data).toEqual({
    id: user.id,
    email: user.email,
    name: 'Ada Lovelace',
    email_verified_at: expect.any(String),
    disabled_at: null,
    two_factor_enabled: false,
    created_at: expect.any(String),
    has_password: true,
    deletion_scheduled_for: null,
    two_factor: { enabled_at: null, recovery_codes_left: 0 },
    memberships: [
      { tenant_id: own.id, tenant_name: 'Own', tenant_status: 'active', role: 'owner', joined_at: expect.any(String) },
      {
        tenant_id: other.id,
        tenant_name: 'Closed',
        tenant_status: 'closed',
        role: 'viewer',
        joined_at: expect.any(String),
      },
    ],
    sessions: [
      {
        id: expect.any(String),
        device_name: null,
        ip: expect.any(String),
        created_at: expect.any(String),
        last_used_at: null,
        expires_at: expect.any(String),
      },
    ],
  });
  expect(answer.text).not.toMatch(/hash|argon2|service_/);
});

describe('disabling a user', () => {
  test('a disabled user loses every session with the next request in every process, and cannot log in', async () => {
    const { app } = suite;
    const other = await startApp(app.site);
    try {
      const user = await createUser(app);
      expect((await me(other, user.auth)).status).toBe(200);
      const disabled = await act(user.id, 'disable');
      expect(disabled.body.data).toMatchObject({ disabled_at: expect.any(String), sessions: [] });
      for (const process of [app, other]) {
        expect((await me(process, user.auth)).status).toBe(401);
        expect((await login(process, { email: user.email })).body.error.code).toBe('AUTH.INVALID_CREDENTIALS');
      }
      expect((await act(user.id, 'enable', other)).body.data.disabled_at).toBeNull();
      expect((await me(app, user.auth)).status).toBe(401);
      await logIn(app, user.email, 'tenant');
      const records = (await auditOf(app, user.id)).filter(({ actor_type }) => actor_type === 'admin');
      expect(records.map(({ event }) => event).sort()).toEqual(['USER.DISABLED', 'USER.ENABLED']);
      expect(records.map(({ actor_id }) => actor_id)).toEqual([suite.admin.id, suite.admin.id]);
    } finally {
      await stopApp(other);
    }
  });

  test('of concurrent requests only one changes the user and is audited', async () => {
    const { id } = await addUser(suite.app);
    for (const action of ['disable', 'enable'] as const) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => act(id, action)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    }
    expect((await auditOf(suite.app, id)).map(({ event }) => event)).toEqual(['USER.DISABLED', 'USER.ENABLED']);
  });

  test('a user whose data is being erased stays disabled', async () => {
    const { id } = await addUser(suite.app);
    const { platform, clock } = suite.app.services;
    const at = clock.now();
    const deletion = { user_id: id, requested_at: at, scheduled_for: at, postponed_at: null, tenant_cursor: null };
    await platform.query
      .insertInto('account_deletions')
      .values({ ...deletion, phase: 'erasing' })
      .execute();
    await act(id, 'disable');
    const refused = await act(id, 'enable');
    expect([refused.status, refused.body.error.code]).toEqual([409, 'USER.BEING_ERASED']);
    expect((await get(`/${id}`)).body.data).toMatchObject({ disabled_at: expect.any(String) });
  });
});

describe('sending a link to choose a password', () => {
  test('the mailed link sets a new password, and the record names the admin', async () => {
    const { app } = suite;
    const user = await createUser(app);
    const sent = await act(user.id, 'send-password-reset');
    expect(sent.status).toBe(202);
    expect((await me(app, user.auth)).status).toBe(200);
    const token = await mailedToken(app, user.email);
    const password = 'another correct horse battery';
    app.secrets.note(password);
    expect((await post(app, '/reset-password', { token, password })).status).toBe(200);
    expect((await login(app, { email: user.email, password })).status).toBe(200);
    expect(await auditOf(app, user.id)).toContainEqual(
      expect.objectContaining({ event: 'USER.PASSWORD_RESET_SENT', actor_type: 'admin', actor_id: suite.admin.id }),
    );
  });

  test('a disabled user gets no link', async () => {
    const user = await addUser(suite.app);
    await act(user.id, 'disable');
    const refused = await act(user.id, 'send-password-reset');
    expect([refused.status, refused.body.error.code]).toEqual([409, 'USER.DISABLED']);
    expect(await mailsTo(suite.app, user.email)).toEqual([]);
  });
});

test.each(['', '/disable', '/enable', '/send-password-reset'])('an unknown user is a 404 at %s', async (action) => {
  for (const id of [newId(), 'x']) {
    const method = action === '' ? 'GET' : 'POST';
    const answer = await suite.app.request({ method, url: `${url}/${id}${action}`, headers: suite.admin.auth });
    expect(answer.status).toBe(404);
  }
});

import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { addAdmin, createAdmin } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp, useApp, useClock } from '../support/harness.ts';
import { mailedToken, mailsTo } from '../support/mails.ts';
import { accept, auditOf, login, me } from './people.ts';

useClock();
const suite = useApp();

const url = '/api/v1/admin/admins';
const unknownId = '019aa000-0000-7000-8000-000000000000';

type Caller = { readonly auth: Record<string, string> };

const list = ({ auth: headers }: Caller, app: TestApp = suite.app) => app.request({ method: 'GET', url, headers });
const invite = ({ auth: headers }: Caller, payload: object) =>
  suite.app.request({ method: 'POST', url, headers, payload });
const patch = ({ auth: headers }: Caller, id: string, payload: object, app: TestApp = suite.app) =>
  app.request({ method: 'PATCH', url: `${url}/${id}`, headers, payload });

describe('inviting an admin', () => {
  test('an invited admin sets a password with the mailed link and can then log in', async () => {
    const { app } = suite;
    const caller = await createAdmin(app);
    const invited = await invite(caller, { email: 'New.Admin@Example.com', name: 'Mary', role: 'billing_readonly' });
    expect(invited.status).toBe(201);
    const { id } = invited.body.data;
    expect(invited.body.data).toEqual({
      id,
      email: 'new.admin@example.com',
      name: 'Mary',
      role: 'billing_readonly',
      disabled: false,
      joined: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await login(app, { email: 'new.admin@example.com', ability: 'admin' })).status).toBe(401);

    const accepted = await accept(app, {
      token: await mailedToken(app, 'new.admin@example.com'),
      name: 'Mary Jackson',
    });
    expect(accepted.status).toBe(200);
    expect(accepted.body.data).toMatchObject({ ability: 'admin', admin: { id, name: 'Mary Jackson' }, tenants: [] });
    const loggedIn = await login(app, { email: 'new.admin@example.com', ability: 'admin' });
    expect(loggedIn.body.data.admin).toMatchObject({ id, role: 'billing_readonly' });
    const events = (await auditOf(app, id)).map(({ event, actor_id }) => ({ event, actor_id }));
    expect(events).toEqual([
      { event: 'ADMIN.INVITED', actor_id: caller.id },
      { event: 'ADMIN.LOGIN_FAILED', actor_id: null },
      { event: 'ADMIN.JOINED', actor_id: id },
      { event: 'ADMIN.LOGIN', actor_id: id },
    ]);
  });

  test('a second invitation of an admin replaces the link, the name and the role', async () => {
    const { app } = suite;
    const caller = await createAdmin(app);
    const first = await invite(caller, { email: 'twice@example.com', name: 'One', role: 'admin' });
    const oldToken = await mailedToken(app, 'twice@example.com');
    const second = await invite(caller, { email: 'twice@example.com', name: 'Two', role: 'billing_admin' });
    expect(second.body.data).toMatchObject({ id: first.body.data.id, name: 'Two', role: 'billing_admin' });
    const newToken = await mailedToken(app, 'twice@example.com');
    expect((await accept(app, { token: oldToken })).body.error.code).toBe('AUTH.LINK_INVALID');
    expect((await accept(app, { token: newToken })).status).toBe(200);
  });

  test('the invitation of an address that an admin has already is refused', async () => {
    const { app } = suite;
    const caller = await createAdmin(app);
    const { email } = await addAdmin(app, 'admin');
    const answer = await invite(caller, { email: email.toUpperCase(), name: 'Copy', role: 'admin' });
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 409, code: 'ADMIN.EMAIL_TAKEN' });
  });

  test('ten concurrent invitations of one address create one admin', async () => {
    const { app } = suite;
    const caller = await createAdmin(app);
    const input = { email: 'parallel@example.com', name: 'Para', role: 'admin' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite(caller, input)));
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const open = await app.services.platform.query
      .selectFrom('invitations')
      .select('admin_id')
      .where('email', '=', input.email)
      .execute();
    expect(new Set(open.map((row) => row.admin_id)).size).toBe(1);
  });
});

describe('an auditor', () => {
  test('an invited auditor sees the role in the mail and in the link, joins, and is listed as an auditor', async () => {
    const { app } = suite;
    const caller = await createAdmin(app);
    const email = 'audra@example.com';
    const { id, role } = (await invite(caller, { email, name: 'Audra', role: 'auditor' })).body.data;
    expect([role, (await mailsTo(app, email))[0]]).toEqual([
      'auditor',
      expect.stringContaining('with the role auditor'),
    ]);
    const token = await mailedToken(app, email);
    const view = await app.request({ method: 'POST', url: '/api/v1/auth/invitation', payload: { token } });
    expect(view.body.data).toMatchObject({ kind: 'admin', role: 'auditor' });
    expect((await accept(app, { token, name: 'Audra' })).body.data.admin).toMatchObject({ id, role: 'auditor' });
    const loggedIn = await login(app, { email, ability: 'admin' });
    expect(loggedIn.body.data.admin).toMatchObject({ id, role: 'auditor' });
    const idsOf = async (filter: string) =>
      (
        await app.request({ method: 'GET', url: `${url}?role=${filter}&limit=100`, headers: caller.auth })
      ).body.data.map((row: { id: string; role: string }) => (row.role === filter ? row.id : row.role));
    expect(await idsOf('auditor')).toContain(id);
    expect(await idsOf('admin')).not.toContain(id);
  });

  test('an admin who becomes an auditor loses writes with the next request, and can be disabled and enabled', async () => {
    const { app } = suite;
    const [caller, other] = [await createAdmin(app), await createAdmin(app, 'admin')];
    const create = () =>
      app.request({ method: 'POST', url: '/api/v1/admin/feature-flags', headers: other.auth, payload: {} });
    expect((await create()).status).toBe(422);
    expect((await patch(caller, other.id, { role: 'auditor' })).body.data).toMatchObject({
      role: 'auditor',
      disabled: false,
    });
    expect((await create()).body.error.code).toBe('AUTH.ROLE_REQUIRED');
    expect((await me(app, other.auth)).body.data.admin.role).toBe('auditor');
    const [record] = (await auditOf(app, other.id)).slice(-1);
    expect(JSON.parse(record?.changes_json ?? '')).toEqual([{ field: 'role', old: 'admin', new: 'auditor' }]);
    expect((await patch(caller, other.id, { disabled: true })).body.data).toMatchObject({ disabled: true });
    expect((await me(app, other.auth)).status).toBe(401);
    expect((await login(app, { email: other.email, ability: 'admin' })).status).toBe(401);
    expect((await patch(caller, other.id, { disabled: false })).body.data).toMatchObject({ disabled: false });
    expect((await login(app, { email: other.email, ability: 'admin' })).body.data.admin.role).toBe('auditor');
  });
});

test.each(['auditor', 'admin', 'billing_readonly', 'billing_admin'] as const)(
  'an admin with the role %s may not manage admins',
  async (role) => {
    const { app } = suite;
    const { auth: headers } = await createAdmin(app, role);
    const requests: InjectOptions[] = [
      { method: 'GET', url },
      { method: 'POST', url, payload: {} },
      { method: 'PATCH', url: `${url}/${unknownId}`, payload: { role: 'super_admin' } },
    ];
    for (const request of requests) {
      const answer = await app.request({ ...request, headers });
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({
        status: 403,
        code: 'AUTH.ROLE_REQUIRED',
      });
    }
  },
);

describe('changing an admin', () => {
  test('a demoted admin loses access with the next request', async () => {
    const { app } = suite;
    const [caller, other] = [await createAdmin(app), await createAdmin(app)];
    expect((await list(other)).status).toBe(200);
    const answer = await patch(caller, other.id, { role: 'admin' });
    expect(answer.body.data).toMatchObject({ id: other.id, role: 'admin' });
    expect((await list(other)).status).toBe(403);
    const [record] = (await auditOf(app, other.id)).slice(-1);
    expect(record).toMatchObject({ event: 'ADMIN.UPDATED', actor_id: caller.id });
    expect(JSON.parse(record?.changes_json ?? '')).toEqual([{ field: 'role', old: 'super_admin', new: 'admin' }]);
  });

  test('disabling an admin ends the sessions immediately, and enabling the admin does not restore them', async () => {
    const { app } = suite;
    const [caller, other] = [await createAdmin(app), await createAdmin(app, 'admin')];
    expect((await patch(caller, other.id, { disabled: true })).body.data.disabled).toBe(true);
    expect((await me(app, other.auth)).status).toBe(401);
    expect((await login(app, { email: other.email, ability: 'admin' })).status).toBe(401);
    await patch(caller, other.id, { disabled: false });
    expect((await me(app, other.auth)).status).toBe(401);
    expect((await login(app, { email: other.email, ability: 'admin' })).status).toBe(200);
  });

  test('a change of an admin without a difference changes and records nothing', async () => {
    const { app } = suite;
    const [caller, other] = [await createAdmin(app), await addAdmin(app, 'admin')];
    const before = await auditOf(app, other.id);
    expect((await patch(caller, other.id, { role: 'admin', disabled: false })).status).toBe(200);
    expect(await auditOf(app, other.id)).toEqual(before);
  });

  test('an admin cannot change their own role', async () => {
    const caller = await createAdmin(suite.app);
    const answer = await patch(caller, caller.id, { role: 'admin' });
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 409, code: 'ADMIN.OWN_ROLE' });
  });

  test.each([
    ['an unknown id', unknownId, { role: 'admin' }, 404],
    ['an invalid id', 'x', { role: 'admin' }, 404],
    ['an empty body', unknownId, {}, 422],
    ['an unknown field', unknownId, { email: 'a@example.com' }, 422],
  ])('a change of an admin with %s is refused', async (_what, id, payload, status) => {
    expect((await patch(await createAdmin(suite.app), id, payload)).status).toBe(status);
  });
});

describe('the last super_admin', () => {
  async function withOwnApp(work: (app: TestApp) => Promise<void>) {
    const site = await createSite();
    try {
      const app = await startApp(site);
      await work(app);
      await stopApp(app);
    } finally {
      await site.remove();
    }
  }

  test('the last super_admin who can log in cannot be disabled', () =>
    withOwnApp(async (app) => {
      const caller = await createAdmin(app);
      const answer = await patch(caller, caller.id, { disabled: true }, app);
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({
        status: 409,
        code: 'ADMIN.LAST_SUPER_ADMIN',
      });
      expect((await list(caller, app)).status).toBe(200);
    }));

  test('one super_admin remains when two demote each other concurrently, on PostgreSQL in two processes', () =>
    withOwnApp(async (app) => {
      const other = engine === 'postgres' ? await startApp(app.site) : app;
      for (let round = 0; round < 10; round += 1) {
        const [ann, bob] = [await createAdmin(app), await createAdmin(app)];
        await app.services.platform.query
          .updateTable('admins')
          .set({ role: 'admin' })
          .where('id', 'not in', [ann.id, bob.id])
          .execute();
        const answers = await Promise.all([
          patch(ann, bob.id, { role: 'admin' }, app),
          patch(bob, ann.id, { role: 'admin' }, other),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      }
      if (other !== app) await stopApp(other);
    }));
});

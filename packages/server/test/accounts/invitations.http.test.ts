import { describe, expect, test } from 'vitest';
import { addUser, createAdmin, freshAddress, logIn } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { mailedToken } from '../support/mails.ts';
import { accept, addTenantRow, inviteMember, login, me, post, sendInvitation } from './people.ts';

const clock = useClock();
const suite = useApp();

const linkInvalid = { status: 422, code: 'AUTH.LINK_INVALID' };

async function outcome(token: string) {
  const { status, body } = await accept(suite.app, { token });
  return { status, code: body.error?.code };
}

describe('an invitation to a tenant', () => {
  test("an accepted invitation creates the user and the membership and is in the tenant's audit log", async () => {
    const { app } = suite;
    const admin = await createAdmin(app);
    const payload = { name: 'Initech', owner_email: 'Owner@Initech.example' };
    const created = await app.request({
      method: 'POST',
      url: '/api/v1/admin/tenants',
      headers: admin.auth,
      payload,
    });
    const tenantId = created.body.data.id;
    const accepted = await accept(app, { token: await mailedToken(app, 'owner@initech.example'), name: 'Bill' });
    expect(accepted.status).toBe(200);
    expect(accepted.headers['cache-control']).toBe('no-store');
    expect(accepted.body.data).toMatchObject({
      ability: 'tenant',
      user: { email: 'owner@initech.example', name: 'Bill', email_verified_at: expect.any(String) },
      tenants: [{ id: tenantId, name: 'Initech', role: 'owner', status: 'active', live_tenant_id: null }],
    });
    const headers = (await logIn(app, 'owner@initech.example', 'tenant')).auth;
    const log = await app.request({ method: 'GET', url: '/api/v1/tenant/audit-logs', headers });
    expect(log.body.data).toContainEqual(
      expect.objectContaining({
        event: 'MEMBER.JOINED',
        actor_type: 'user',
        actor_id: accepted.body.data.user.id,
        request_id: accepted.body.meta.request_id,
        changes: [
          { field: 'email', old: null, new: 'owner@initech.example' },
          { field: 'role', old: null, new: 'owner' },
        ],
      }),
    );
  });

  test('an invitation accepted by an account changes neither its password nor its sessions', async () => {
    const { app } = suite;
    const user = await addUser(app);
    const headers = (await logIn(app, user.email, 'tenant')).auth;
    const tenant = await addTenantRow(app, 'Hooli');
    const token = await inviteMember(app, tenant, user.email, 'viewer');
    app.secrets.note('another horse battery');
    const accepted = await accept(app, { token, password: 'another horse battery' });
    expect(accepted.body.data).toMatchObject({
      user: { id: user.id, name: 'Ada Lovelace' },
      tenants: [{ role: 'viewer' }],
    });
    expect((await me(app, headers)).status).toBe(200);
    expect((await login(app, { email: user.email })).status).toBe(200);
    expect((await login(app, { email: user.email, password: 'another horse battery' })).status).toBe(401);
  });

  test('an invitation accepted by a member does not change the role', async () => {
    const { app } = suite;
    const tenant = await addTenantRow(app, 'Umbrella');
    const owner = await inviteMember(app, tenant, 'member@example.com', 'owner');
    expect((await outcome(owner)).status).toBe(200);
    const viewer = await inviteMember(app, tenant, 'member@example.com', 'viewer');
    expect((await accept(app, { token: viewer })).body.data.tenants).toMatchObject([{ role: 'owner' }]);
  });

  test('a new invitation replaces the previous one to the same tenant, but none to another tenant', async () => {
    const { app } = suite;
    const [first, second] = [await addTenantRow(app, 'First'), await addTenantRow(app, 'Second')];
    const replaced = await inviteMember(app, first, 'double@example.com', 'admin');
    const other = await inviteMember(app, second, 'double@example.com', 'admin');
    const newest = await inviteMember(app, first, 'double@example.com', 'viewer');
    expect(await outcome(replaced)).toEqual(linkInvalid);
    expect((await outcome(newest)).status).toBe(200);
    expect((await outcome(other)).status).toBe(200);
  });

  test('ten concurrent invitations of one address leave one open invitation', async () => {
    const { app } = suite;
    const tenant = await addTenantRow(app, 'Parallel');
    await Promise.all(Array.from({ length: 10 }, () => sendInvitation(app, tenant, 'ten@example.com', 'admin')));
    const open = app.services.platform.query
      .selectFrom('invitations')
      .select('id')
      .where('email', '=', 'ten@example.com');
    expect(await open.execute()).toHaveLength(1);
  });

  test('only one of ten concurrent requests can accept an invitation', async () => {
    const { app } = suite;
    const token = await inviteMember(app, await addTenantRow(app, 'Once'), 'once@example.com', 'admin');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(token)));
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual(Array(9).fill(linkInvalid));
  });

  test('an invitation expires after seven days', async () => {
    const { app } = suite;
    const tenant = await addTenantRow(app, 'Late');
    const [inTime, late] = [
      await inviteMember(app, tenant, 'in-time@example.com', 'admin'),
      await inviteMember(app, tenant, 'late@example.com', 'admin'),
    ];
    clock.advance(7 * 86_400_000 - 1_000);
    expect((await outcome(inTime)).status).toBe(200);
    clock.advance(1_001);
    expect(await outcome(late)).toEqual(linkInvalid);
  });

  test('an invitation to a closed tenant or of a disabled user is refused and creates nothing', async () => {
    const { app } = suite;
    const { query } = app.services.platform;
    const closed = await addTenantRow(app, 'Closed');
    const toClosed = await inviteMember(app, closed, 'to-closed@example.com', 'admin');
    await query.updateTable('tenants').set({ status: 'closed' }).where('id', '=', closed.id).execute();
    expect(await outcome(toClosed)).toEqual(linkInvalid);
    expect(await query.selectFrom('users').select('id').where('email', '=', 'to-closed@example.com').execute()).toEqual(
      [],
    );

    const user = await addUser(app);
    const toDisabled = await inviteMember(app, await addTenantRow(app, 'Open'), user.email, 'admin');
    await query.updateTable('users').set({ disabled_at: app.services.clock.now() }).where('id', '=', user.id).execute();
    expect(await outcome(toDisabled)).toEqual(linkInvalid);
  });
});

test.each([
  ['an unknown token', { token: 'x'.repeat(43) }, 'AUTH.LINK_INVALID'],
  ['a short password', { token: 'x', password: 'elevenchars' }, 'VALIDATION.FAILED'],
  ['a long password', { token: 'x', password: 'x'.repeat(257) }, 'VALIDATION.FAILED'],
  ['no token', {}, 'VALIDATION.FAILED'],
  ['an empty name', { token: 'x', name: '' }, 'VALIDATION.FAILED'],
  ['a role', { token: 'x', role: 'owner' }, 'VALIDATION.FAILED'],
])('accepting an invitation with %s is refused with status 422', async (_what, body, code) => {
  const answer = await accept(suite.app, body);
  expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 422, code });
});

test('the throttle allows six attempts per minute and client address to accept an invitation', async () => {
  const address = freshAddress();
  const answers = await Promise.all(Array.from({ length: 50 }, () => accept(suite.app, { token: 'x' }, address)));
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(6);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(44);
});

describe('reading an invitation', () => {
  const read = (token: string) => post(suite.app, '/invitation', { token });

  test('the token of an invitation tells who is invited to what and by when, and the link stays valid', async () => {
    const { app } = suite;
    const token = await inviteMember(app, await addTenantRow(app, 'Globex'), 'hank@example.com', 'admin');
    const answer = await read(token);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.body.data).toEqual({
      email: 'hank@example.com',
      name: null,
      kind: 'tenant',
      role: 'admin',
      tenant_name: 'Globex',
      expires_at: expect.any(String),
      has_account: false,
    });
    expect((await outcome(token)).status).toBe(200);
    expect([(await read(token)).status, (await read(token)).body.error.code]).toEqual([422, 'AUTH.LINK_INVALID']);
  });

  test('the token of an invitation tells whether the address has an account', async () => {
    const { app } = suite;
    const { email } = await addUser(app);
    const token = await inviteMember(app, await addTenantRow(app, 'Known'), email, 'viewer');
    expect((await read(token)).body.data).toMatchObject({ email, has_account: true });
  });

  test('the token of an invitation of an admin names the person and no tenant', async () => {
    const { app } = suite;
    const payload = { email: 'chris@example.com', name: 'Chris Kraft', role: 'billing_admin' };
    const headers = (await createAdmin(app)).auth;
    await app.request({ method: 'POST', url: '/api/v1/admin/admins', headers, payload });
    const answer = await read(await mailedToken(app, 'chris@example.com'));
    const invited = { name: 'Chris Kraft', kind: 'admin', role: 'billing_admin', tenant_name: null };
    expect(answer.body.data).toMatchObject({ ...invited, has_account: false });
  });

  test('unknown and expired tokens, and those of a closed tenant, tell nothing', async () => {
    const { app } = suite;
    const closed = await addTenantRow(app, 'Closed', 'closed');
    const ofClosed = await inviteMember(app, closed, 'closed@example.com', 'viewer');
    const expired = await inviteMember(app, await addTenantRow(app, 'Slow'), 'slow@example.com', 'viewer');
    const outcomeOf = async (token: string) => {
      const { status, body } = await read(token);
      return { status, code: body.error?.code };
    };
    expect(await outcomeOf('unknown')).toEqual(linkInvalid);
    expect(await outcomeOf(ofClosed)).toEqual(linkInvalid);
    expect((await outcomeOf(expired)).status).toBe(200);
    clock.advance(7 * 86_400_000 + 1);
    expect(await outcomeOf(expired)).toEqual(linkInvalid);
  });
});

import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { addUser, createUser, joinTenant, logIn, type TestTenant, useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { badFields, eventsOf } from '../support/licensing-catalog.ts';
import { mailedToken, mailsTo } from '../support/mails.ts';
import {
  addAccount,
  addExisting,
  addMember,
  disableUser,
  membersWith,
  newEmail,
  sendAs,
  sendInvited,
} from './members.ts';
import { accept, login, me } from './people.ts';

const clock = useClock();
const suite = useTenant();

const outcomeOf = ({ status, body }: Answer) => [status, body.error?.code ?? null];
const add = (email: string, role: string, tenant = suite.tenant) => addMember(tenant, email, role);
const addUserAs = (role: string) => addAccount(suite.app, suite.tenant, role);
const membersOf = (email: string, tenant = suite.tenant) => membersWith(tenant, email);
const send = (...request: Tail<Parameters<typeof sendAs>>) => sendAs(suite.app, ...request);

type Tail<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest] ? Rest : never;

async function changesOf(resourceId: string, tenant: TestTenant = suite.tenant) {
  const { body } = await tenant.asOwner('GET', `/audit-logs?resource_id=${resourceId}`);
  return body.data.map(({ event, changes }: { event: string; changes: object[] }) => ({ event, changes }));
}

describe('adding', () => {
  test('a person with an account becomes a member, and sees the tenant, only by accepting the invitation', async () => {
    const { app, tenant } = suite;
    const user = await createUser(app);
    expect((await me(app, user.auth)).body.data.tenants).toEqual([]);
    const answer = await tenant.asOwner('POST', '/members', { email: user.email.toUpperCase(), role: 'viewer' });
    expect(answer.status).toBe(201);
    const invited = answer.body.data;
    expect(invited).toEqual({
      id: expect.any(String),
      user_id: null,
      name: null,
      email: user.email,
      role: 'viewer',
      status: 'invited',
      access_tokens_count: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
    expect(await membersOf(user.email)).toEqual([invited]);
    expect((await me(app, user.auth)).body.data.tenants).toEqual([]);
    expect(outcomeOf(await send(user, 'GET', '/products'))).toEqual([403, 'TENANT.ACCESS_DENIED']);
    expect(await mailsTo(app, user.email)).toEqual([
      expect.stringContaining('invited to join “Acme” with the role viewer'),
    ]);
    expect((await sendInvited(app, user, 'POST', `/${invited.id}/accept`)).status).toBe(200);
    const member = (await membersOf(user.email))[0];
    const joined = { user_id: user.id, name: 'Ada Lovelace', status: 'active', created_at: expect.any(String) };
    expect(member).toEqual({ ...invited, ...joined });
    const tenants = [{ id: tenant.id, name: 'Acme', role: 'viewer', status: 'active', live_tenant_id: null }];
    expect((await me(app, user.auth)).body.data.tenants).toEqual(tenants);
    expect((await login(app, { email: user.email })).body.data.tenants).toEqual(tenants);
    expect((await send(user, 'GET', '/products')).status).toBe(200);
    expect(await eventsOf(tenant, member.id)).toEqual(['MEMBER.JOINED', 'MEMBER.INVITED']);
  });

  test('an unknown address is invited, and the accepted invitation becomes a member with the same id', async () => {
    const { app } = suite;
    const email = newEmail();
    const invited = await add(email.replace('person', 'Person'), 'admin');
    expect(invited).toMatchObject({ user_id: null, name: null, email, role: 'admin', status: 'invited' });
    expect(await membersOf(email)).toEqual([invited]);
    const accepted = await accept(app, { token: await mailedToken(app, email), name: 'Katherine' });
    expect(accepted.body.data.tenants).toMatchObject([{ id: suite.tenant.id, role: 'admin' }]);
    const user = await logIn(app, email, 'tenant');
    expect(await membersOf(email)).toEqual([
      { ...invited, user_id: user.id, name: 'Katherine', status: 'active', created_at: expect.any(String) },
    ]);
    expect((await send(user, 'POST', '/api-keys', { name: 'CI' })).status).toBe(201);
    const changes = [
      { field: 'email', old: null, new: email },
      { field: 'role', old: null, new: 'admin' },
    ];
    expect(await changesOf(invited.id)).toEqual([
      { event: 'MEMBER.JOINED', changes },
      { event: 'MEMBER.INVITED', changes },
    ]);
  });

  test('a second invitation of an address replaces the first one and its link', async () => {
    const { app, tenant } = suite;
    const email = newEmail();
    const first = await add(email, 'owner');
    const replaced = await mailedToken(app, email);
    const second = await add(email, 'viewer');
    expect(await membersOf(email)).toEqual([second]);
    expect((await tenant.asOwner('DELETE', `/members/${first.id}`)).status).toBe(404);
    expect(outcomeOf(await accept(app, { token: replaced }))).toEqual([422, 'AUTH.LINK_INVALID']);
    const accepted = await accept(app, { token: await mailedToken(app, email) });
    expect(accepted.body.data.tenants).toMatchObject([{ role: 'viewer' }]);
  });

  test('inviting an invited person who has an account by now replaces the link', async () => {
    const { app } = suite;
    const [email, other] = [newEmail(), await suite.newTenant()];
    await add(email, 'owner');
    const link = await mailedToken(app, email);
    await add(email, 'viewer', other);
    expect((await accept(app, { token: await mailedToken(app, email) })).status).toBe(200);
    expect(await add(email, 'viewer')).toMatchObject({ status: 'invited', role: 'viewer' });
    expect(await membersOf(email)).toMatchObject([{ status: 'invited', role: 'viewer' }]);
    expect(outcomeOf(await accept(app, { token: link }))).toEqual([422, 'AUTH.LINK_INVALID']);
  });

  test.each([
    ['whose address is not verified', { email_verified_at: null }],
    ['that is disabled', { disabled_at: '2026-01-01T00:00:00.000000Z' }],
  ])('the address of an account %s is invited like an unknown address', async (_what, state) => {
    const { app } = suite;
    const user = await addUser(app);
    await app.services.platform.query.updateTable('users').set(state).where('id', '=', user.id).execute();
    expect(await add(user.email, 'viewer')).toMatchObject({ status: 'invited', user_id: null, name: null });
    expect(await mailsTo(app, user.email)).toEqual([expect.stringContaining('You are invited to join “Acme”')]);
  });

  test('adding a person who is already a member, a disabled member or the owner is refused', async () => {
    const { tenant } = suite;
    const [member, disabled] = [await addUserAs('viewer'), await addUserAs('viewer')];
    await disableUser(suite.app, disabled.id);
    for (const { email } of [member, disabled, tenant.owner]) {
      const before = await membersOf(email);
      const refused = await tenant.asOwner('POST', '/members', { email: email.toUpperCase(), role: 'admin' });
      expect(outcomeOf(refused)).toEqual([409, 'MEMBER.ALREADY_ADDED']);
      expect(badFields(refused)).toEqual(['email']);
      expect(await membersOf(email)).toEqual(before);
    }
    expect(await eventsOf(tenant, member.memberId)).toEqual(['MEMBER.JOINED', 'MEMBER.INVITED']);
  });

  test('adding a member again with the same Idempotency-Key returns the same response and sends no mail', async () => {
    const { app, tenant } = suite;
    for (const email of [newEmail(), (await addUser(app)).email]) {
      const headers = { ...tenant.owner.auth, 'idempotency-key': newId() };
      const payload = { email, role: 'viewer' };
      const post = () => app.request({ method: 'POST', url: '/api/v1/tenant/members', headers, payload });
      const [first, repeated] = [await post(), await post()];
      expect([first.status, repeated.status, repeated.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
      expect(repeated.body.data).toEqual(first.body.data);
      expect(await mailsTo(app, email)).toHaveLength(1);
    }
  });
});

describe('the list', () => {
  test('the list has members and invitations, newest first, in pages and filtered, on both surfaces', async () => {
    const { app } = suite;
    const tenant = await suite.newTenant();
    const added = [(await membersOf(tenant.owner.email, tenant))[0]];
    for (let count = 0; count < 3; count += 1) {
      clock.advance(1_000);
      added.unshift(await add((await addUser(app)).email, 'viewer', tenant));
      added.unshift(await add(newEmail(), count === 0 ? 'owner' : 'admin', tenant));
    }
    const ofAdmin = (query: string) => suite.asAdmin('GET', `/tenants/${tenant.id}/members${query}`);
    for (const list of [(query: string) => tenant.asOwner('GET', `/members${query}`), ofAdmin]) {
      expect((await list('')).body.data).toEqual(added);
      const paged: object[] = [];
      let cursor = '';
      for (let page = 0; page < 4; page += 1) {
        const { body } = await list(`?limit=2${cursor}`);
        paged.push(...body.data);
        cursor = `&cursor=${body.meta.next_cursor}`;
      }
      expect(paged).toEqual(added);
      expect(cursor).toBe('&cursor=null');
      const owners = added.filter(({ role }) => role === 'owner');
      expect((await list('?role=owner')).body.data).toEqual(owners);
      expect((await list('?role=owner&limit=1')).body.data).toEqual(owners.slice(0, 1));
      expect((await list(`?email=${added[0].email.toUpperCase()}`)).body.data).toEqual([added[0]]);
      expect((await list(`?email=${added[1].email}&role=owner`)).body.data).toEqual([]);
    }
  });
});

test.each([
  ['owner', 201, 200],
  ['admin', 403, 403],
  ['viewer', 403, 403],
] as const)(
  'a member with the role %s can read the list and gets status %i for additions and %i for changes',
  async (...row) => {
    const [role, addition, change] = row;
    const [account, target] = [await addUserAs(role), await addUserAs('viewer')];
    expect((await send(account, 'GET', '/members')).status).toBe(200);
    const path = `/members/${target.memberId}`;
    expect((await send(account, 'POST', '/members', { email: newEmail(), role: 'owner' })).status).toBe(addition);
    expect((await send(account, 'PUT', path, { role: 'admin' })).status).toBe(change);
    expect((await send(account, 'PUT', `/members/${account.memberId}`, { role })).status).toBe(change);
    expect((await send(account, 'DELETE', path)).status).toBe(change);
    expect(await membersOf(target.email)).toHaveLength(change === 200 ? 0 : 1);
  },
);

describe('another role', () => {
  test("a member's new role applies to the next request and is audited once", async () => {
    const { tenant } = suite;
    const member = await addUserAs('admin');
    const write = () => send(member, 'POST', '/api-keys', { name: 'CI' });
    expect((await write()).status).toBe(201);
    const demote = () => tenant.asOwner('PUT', `/members/${member.memberId}`, { role: 'viewer' });
    const [changed, repeated] = [await demote(), await demote()];
    expect([changed.status, changed.body.data]).toEqual([200, { ...changed.body.data, role: 'viewer' }]);
    expect([repeated.status, repeated.body.data]).toEqual([200, changed.body.data]);
    expect(await membersOf(member.email)).toEqual([changed.body.data]);
    expect(outcomeOf(await write())).toEqual([403, 'AUTH.ROLE_REQUIRED']);
    expect((await me(suite.app, member.auth)).body.data.tenants).toMatchObject([{ role: 'viewer' }]);
    const [record, ...earlier] = await changesOf(member.memberId);
    expect(record).toEqual({
      event: 'MEMBER.UPDATED',
      changes: [{ field: 'role', old: 'admin', new: 'viewer' }],
    });
    expect(earlier).toHaveLength(2);
  });

  test('an accepted invitation gives the role to which the invitation was changed', async () => {
    const { app, tenant } = suite;
    const email = newEmail();
    const invited = await add(email, 'owner');
    const token = await mailedToken(app, email);
    const changed = await tenant.asOwner('PUT', `/members/${invited.id}`, { role: 'viewer' });
    expect(changed.body.data).toEqual({ ...invited, role: 'viewer' });
    expect((await accept(app, { token })).body.data.tenants).toMatchObject([{ role: 'viewer' }]);
    expect(await eventsOf(tenant, invited.id)).toEqual(['MEMBER.JOINED', 'MEMBER.UPDATED', 'MEMBER.INVITED']);
  });
});

describe('removing', () => {
  test('a removed member loses access with the next request and can be added again', async () => {
    const { app, tenant } = suite;
    const member = await addUserAs('admin');
    expect((await send(member, 'GET', '/members')).status).toBe(200);
    const remove = () => tenant.asOwner('DELETE', `/members/${member.memberId}`);
    const removed = await remove();
    expect([removed.status, removed.body.data]).toEqual([200, { deleted: true, id: member.memberId }]);
    expect(outcomeOf(await send(member, 'GET', '/members'))).toEqual([403, 'TENANT.ACCESS_DENIED']);
    expect((await me(app, member.auth)).body.data.tenants).toEqual([]);
    expect(outcomeOf(await remove())).toEqual([404, 'RESOURCE.NOT_FOUND']);
    const [record, ...earlier] = await changesOf(member.memberId);
    expect(record).toEqual({
      event: 'MEMBER.REMOVED',
      changes: [
        { field: 'email', old: member.email, new: null },
        { field: 'role', old: 'admin', new: null },
      ],
    });
    expect(earlier).toHaveLength(2);
    expect(await addExisting(app, tenant, member, 'viewer')).not.toBe(member.memberId);
    expect((await send(member, 'GET', '/members')).status).toBe(200);
  });

  test('the link of a withdrawn invitation stops working', async () => {
    const { app, tenant } = suite;
    const email = newEmail();
    const { id } = await add(email, 'viewer');
    const token = await mailedToken(app, email);
    expect((await tenant.asOwner('DELETE', `/members/${id}`)).body.data).toEqual({ deleted: true, id });
    expect(outcomeOf(await accept(app, { token }))).toEqual([422, 'AUTH.LINK_INVALID']);
    expect(await membersOf(email)).toEqual([]);
    expect(outcomeOf(await tenant.asOwner('DELETE', `/members/${id}`))).toEqual([404, 'RESOURCE.NOT_FOUND']);
    expect(await eventsOf(tenant, id)).toEqual(['MEMBER.INVITATION_WITHDRAWN', 'MEMBER.INVITED']);
  });

  test('an owner cannot change members of another tenant, and a removal leaves the other memberships', async () => {
    const other = await suite.newTenant();
    const member = await addUserAs('viewer');
    await joinTenant(suite.app, member, other.id, 'viewer');
    const [ofOther] = await membersOf(member.email, other);
    const isUnknown = [404, 'RESOURCE.NOT_FOUND'];
    const path = `/members/${ofOther.id}`;
    expect(outcomeOf(await suite.tenant.asOwner('PUT', path, { role: 'owner' }))).toEqual(isUnknown);
    expect(outcomeOf(await suite.tenant.asOwner('DELETE', path))).toEqual(isUnknown);
    expect((await suite.tenant.asOwner('DELETE', `/members/${member.memberId}`)).status).toBe(200);
    expect(await membersOf(member.email, other)).toEqual([ofOther]);
  });
});

describe('the last owner', () => {
  const lastOwner = [409, 'MEMBER.LAST_OWNER'];
  const firstOwnerId = async (tenant: TestTenant): Promise<string> =>
    (await membersOf(tenant.owner.email, tenant))[0].id;

  test.each([
    ['no other member', () => Promise.resolve()],
    ['an admin', (tenant: TestTenant) => addAccount(suite.app, tenant, 'admin')],
    ['an invited owner', (tenant: TestTenant) => addMember(tenant, newEmail(), 'owner')],
    [
      'an invited owner who has an account',
      async (tenant: TestTenant) => addMember(tenant, (await addUser(suite.app)).email, 'owner'),
    ],
    [
      'a disabled owner',
      async (tenant: TestTenant) => disableUser(suite.app, (await addAccount(suite.app, tenant, 'owner')).id),
    ],
  ])('the last owner with %s can be neither demoted nor removed', async (_who, addOther) => {
    const tenant = await suite.newTenant();
    await addOther(tenant);
    const path = `/members/${await firstOwnerId(tenant)}`;
    expect(outcomeOf(await tenant.asOwner('PUT', path, { role: 'admin' }))).toEqual(lastOwner);
    expect(outcomeOf(await tenant.asOwner('DELETE', path))).toEqual(lastOwner);
    expect((await tenant.asOwner('PUT', path, { role: 'owner' })).status).toBe(200);
    expect(await membersOf(tenant.owner.email, tenant)).toMatchObject([{ role: 'owner' }]);
  });

  test('an owner can step down and be removed once there is another owner, who then is the last one', async () => {
    const tenant = await suite.newTenant();
    const second = await addAccount(suite.app, tenant, 'owner');
    const path = `/members/${await firstOwnerId(tenant)}`;
    expect((await tenant.asOwner('PUT', path, { role: 'viewer' })).status).toBe(200);
    expect(outcomeOf(await tenant.asOwner('PUT', path, { role: 'owner' }))).toEqual([403, 'AUTH.ROLE_REQUIRED']);
    const leave = await send(second, 'DELETE', `/members/${second.memberId}`);
    expect(outcomeOf(leave)).toEqual(lastOwner);
    expect((await send(second, 'DELETE', path)).status).toBe(200);
  });
});

// This must be the last test, because the admin's token has expired after it.
test('an expired invitation is not listed and cannot be changed, and the address can be invited again', async () => {
  const { app, tenant } = suite;
  const email = newEmail();
  const { id } = await add(email, 'viewer');
  const token = await mailedToken(app, email);
  clock.advance(7 * 86_400_000 - 1_000);
  expect(await membersOf(email)).toMatchObject([{ id, status: 'invited' }]);
  clock.advance(1_001);
  expect(await membersOf(email)).toEqual([]);
  expect((await tenant.asOwner('PUT', `/members/${id}`, { role: 'owner' })).status).toBe(404);
  expect((await tenant.asOwner('DELETE', `/members/${id}`)).status).toBe(404);
  expect((await accept(app, { token })).status).toBe(422);
  expect(await add(email, 'admin')).toMatchObject({ status: 'invited', role: 'admin' });
  expect((await accept(app, { token: await mailedToken(app, email) })).status).toBe(200);
});

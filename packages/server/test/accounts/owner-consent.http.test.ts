import { expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import type { Answer } from '../support/harness.ts';
import { eventsOf } from '../support/licensing-catalog.ts';
import { addAccount, addMember, membersWith, newEmail, sendInvited } from './members.ts';
import { me } from './people.ts';

const suite = useTenant();

const outcomeOf = ({ status, body }: Answer) => [status, body.error?.code ?? null];
const add = (email: string, role: string, tenant = suite.tenant) => addMember(tenant, email, role);
const addUserAs = (role: string) => addAccount(suite.app, suite.tenant, role);
const membersOf = (email: string, tenant = suite.tenant) => membersWith(tenant, email);

test('a change of the role makes nobody an owner, neither a member nor an invited person', async () => {
  const { tenant } = suite;
  const [member, invited] = [await addUserAs('admin'), await add(newEmail(), 'viewer')];
  for (const id of [member.memberId, invited.id]) {
    const refused = await tenant.asOwner('PUT', `/members/${id}`, { role: 'owner' });
    expect(outcomeOf(refused)).toEqual([409, 'MEMBER.CONSENT_REQUIRED']);
  }
  expect(await membersOf(member.email)).toMatchObject([{ role: 'admin' }]);
  expect(await membersOf(invited.email)).toMatchObject([{ role: 'viewer' }]);
});

test('a member becomes an owner by accepting an invitation as owner, also at the limit of members', async () => {
  const { app, admin } = suite;
  const tenant = await suite.newTenant();
  const member = await addAccount(app, tenant, 'viewer');
  const url = `/api/v1/admin/tenants/${tenant.id}`;
  await app.request({ method: 'PATCH', url, headers: admin.auth, payload: { limits: { members: 2 } } });
  const invited = await add(member.email, 'owner', tenant);
  expect((await membersOf(member.email, tenant)).map(({ role }: { role: string }) => role).sort()).toEqual([
    'owner',
    'viewer',
  ]);
  expect((await me(app, member.auth)).body.data.tenants).toMatchObject([{ role: 'viewer' }]);
  expect((await sendInvited(app, member, 'POST', `/${invited.id}/accept`)).status).toBe(200);
  expect(await membersOf(member.email, tenant)).toMatchObject([{ id: member.memberId, role: 'owner' }]);
  expect(await eventsOf(tenant, member.memberId)).toContain('MEMBER.UPDATED');
});

test('a removed member cannot come back with an earlier invitation as owner', async () => {
  const { app, tenant } = suite;
  const member = await addUserAs('viewer');
  const invited = await add(member.email, 'owner');
  expect((await tenant.asOwner('DELETE', `/members/${member.memberId}`)).status).toBe(200);
  expect(outcomeOf(await sendInvited(app, member, 'POST', `/${invited.id}/accept`))).toEqual([
    404,
    'RESOURCE.NOT_FOUND',
  ]);
  expect(await membersOf(member.email)).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { addUser, createTenant, createUser, logIn, useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { eventsOf } from '../support/licensing-catalog.ts';
import { mailedToken } from '../support/mails.ts';
import { addMember, membersWith, newEmail, sendAs, sendInvited } from './members.ts';
import { accept, me, post } from './people.ts';

const clock = useClock();
const suite = useTenant();

const outcomeOf = ({ status, body }: Answer) => [status, body.error?.code ?? null];
const unknown = [404, 'RESOURCE.NOT_FOUND'];
const linkInvalid = [422, 'AUTH.LINK_INVALID'];

async function invitedAccount(role = 'viewer') {
  const account = await createUser(suite.app);
  const { id } = await addMember(suite.tenant, account.email, role);
  return { account, id: String(id), token: await mailedToken(suite.app, account.email) };
}

test('an account lists its invitations, accepts one once, and its link stops working', async () => {
  const { app, tenant } = suite;
  const { account, id, token } = await invitedAccount('admin');
  const { body } = await sendInvited(app, account, 'GET');
  const times = { created_at: expect.any(String), expires_at: expect.any(String) };
  const invitation = { id, tenant_id: tenant.id, tenant_name: 'Acme', role: 'admin', ...times };
  expect(body.data).toEqual([invitation]);
  const accepted = await sendInvited(app, account, 'POST', `/${id}/accept`);
  expect([accepted.status, accepted.body.data]).toEqual([200, body.data[0]]);
  expect((await me(app, account.auth)).body.data.tenants).toMatchObject([{ id: tenant.id, role: 'admin' }]);
  expect(outcomeOf(await sendInvited(app, account, 'POST', `/${id}/accept`))).toEqual(unknown);
  expect(outcomeOf(await accept(app, { token }))).toEqual(linkInvalid);
  expect((await sendInvited(app, account, 'GET')).body.data).toEqual([]);
});

describe('declining', () => {
  test.each(['in the account', 'by the link, without an account'])(
    'an invitation declined %s is gone for both sides and recorded for the tenant',
    async (how) => {
      const { app, tenant } = suite;
      const { account, id, token } = await invitedAccount();
      const isByLink = how !== 'in the account';
      const decline = () =>
        isByLink ? post(app, '/decline-invitation', { token }) : sendInvited(app, account, 'POST', `/${id}/decline`);
      expect((await decline()).status).toBe(200);
      expect(outcomeOf(await decline())).toEqual(isByLink ? linkInvalid : unknown);
      expect(outcomeOf(await accept(app, { token }))).toEqual(linkInvalid);
      expect(outcomeOf(await sendInvited(app, account, 'POST', `/${id}/accept`))).toEqual(unknown);
      expect(await membersWith(tenant, account.email)).toEqual([]);
      expect(await eventsOf(tenant, id)).toEqual(['MEMBER.INVITATION_DECLINED', 'MEMBER.INVITED']);
    },
  );
});

test('nobody sees, accepts or declines the invitation of another address, or an expired one', async () => {
  const { app } = suite;
  const [{ account, id }, stranger] = [await invitedAccount(), await createUser(app)];
  const attempts = (who: typeof stranger) =>
    Promise.all(['accept', 'decline'].map((verb) => sendInvited(app, who, 'POST', `/${id}/${verb}`)));
  expect((await sendInvited(app, stranger, 'GET')).body.data).toEqual([]);
  expect((await attempts(stranger)).map(outcomeOf)).toEqual([unknown, unknown]);
  expect((await sendInvited(app, account, 'GET')).body.data).toHaveLength(1);
  clock.advance(7 * 86_400_000 + 1);
  const later = await logIn(app, account.email, 'tenant');
  expect((await sendInvited(app, later, 'GET')).body.data).toEqual([]);
  expect((await attempts(later)).map(outcomeOf)).toEqual([unknown, unknown]);
  clock.advance(-(7 * 86_400_000 + 1));
});

test('an account whose address is not verified gets no invitation by its session', async () => {
  const { app } = suite;
  const { account, id } = await invitedAccount();
  const unverified = { email_verified_at: null };
  await app.services.platform.query.updateTable('users').set(unverified).where('id', '=', account.id).execute();
  for (const answer of [
    await sendInvited(app, account, 'GET'),
    await sendInvited(app, account, 'POST', `/${id}/accept`),
  ]) {
    expect(outcomeOf(answer)).toEqual([403, 'AUTH.EMAIL_UNVERIFIED']);
  }
});

test('an open invitation changes neither the tenant of a request without X-Tenant-ID nor the erasure of an account', async () => {
  const { app, admin, tenant } = suite;
  const victim = await createTenant(app, admin, 'Victim');
  await addMember(tenant, victim.owner.email, 'owner');
  const answer = await sendAs(app, victim.owner, 'GET', '/members');
  expect(answer.body.data).toMatchObject([{ email: victim.owner.email, role: 'owner' }]);
  const person = await createUser(app);
  await addMember(tenant, person.email, 'owner');
  const url = '/api/v1/account/deletion';
  const payload = { password: 'correct horse battery staple' };
  const asked = await app.request({ method: 'POST', url, headers: person.auth, payload });
  expect(asked.body.error?.code).not.toBe('ACCOUNT.LAST_OWNER');
});

test('without an account, the link needs a name and a password, and works after a refusal', async () => {
  const { app, tenant } = suite;
  const email = newEmail();
  await addMember(tenant, email, 'viewer');
  const token = await mailedToken(app, email);
  const refused = await post(app, '/accept-invitation', { token });
  expect(outcomeOf(refused)).toEqual([422, 'VALIDATION.FAILED']);
  expect((await accept(app, { token })).status).toBe(200);
});

test('with an account, the link needs neither a name nor a password', async () => {
  const { app, tenant } = suite;
  const { email } = await addUser(app);
  await addMember(tenant, email, 'viewer');
  const accepted = await post(app, '/accept-invitation', { token: await mailedToken(app, email) });
  expect(accepted.body.data.tenants).toMatchObject([{ id: tenant.id, role: 'viewer' }]);
});

test('an invitation with an id that does not exist is unknown', async () => {
  const account = await createUser(suite.app);
  expect(outcomeOf(await sendInvited(suite.app, account, 'POST', `/${newId()}/accept`))).toEqual(unknown);
});

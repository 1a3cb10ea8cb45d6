import { expect, test } from 'vitest';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created } from '../support/licensing-catalog.ts';
import { newAccessToken, sendWith } from './access-tokens.ts';
import { askForDeletion, asUser } from './account-data.ts';
import { addAccount, addExisting, addMember, disableUser, membersWith, newEmail, sendAs } from './members.ts';

const clock = useClock();
const suite = useTenant({ USER_TOKEN_TTL_DAYS: '365' });

const fields = { name: 'Shop', role: 'admin' };

/** A member who created an access token, with the token and requests about both. */
async function creator(role = 'admin') {
  const { app, tenant } = suite;
  const member = await addAccount(app, tenant, role);
  const { id, token } = created(await sendAs(app, member, 'POST', '/access-tokens', fields));
  return {
    member,
    id,
    count: async () => (await membersWith(tenant, member.email))[0]?.access_tokens_count,
    shown: async () => (await tenant.asOwner('GET', `/access-tokens/${id}`)).body.data,
    use: async () => (await sendWith(app, token, 'GET', '/products')).status,
  };
}

test('the list of members counts the active access tokens that each person created', async () => {
  const { app, tenant } = suite;
  const { member, count } = await creator();
  expect(await count()).toBe(1);
  const brief = { ...fields, expires_at: new Date(Date.now() + 1000).toISOString() };
  created(await sendAs(app, member, 'POST', '/access-tokens', brief));
  const { id } = created(await sendAs(app, member, 'POST', '/access-tokens', fields));
  expect(await count()).toBe(3);
  clock.advance(1000);
  expect(await count()).toBe(2);
  await tenant.asOwner('DELETE', `/access-tokens/${id}`);
  expect(await count()).toBe(1);
  const [owner] = await membersWith(tenant, tenant.owner.email);
  expect(owner.access_tokens_count).toBe(0);
  await addMember(tenant, newEmail(), 'viewer');
  const ofAdmin = await suite.asAdmin('GET', `/tenants/${tenant.id}/members`);
  const counts = ofAdmin.body.data.map((row: { access_tokens_count: number }) => row.access_tokens_count);
  expect(counts).toEqual([0, 1, 0]);
});

test('an access token stays valid when its creator gets another role, is removed and comes back, and the responses say so', async () => {
  const { tenant } = suite;
  const { member, count, shown, use } = await creator('owner');
  const elsewhere = await suite.newTenant('Elsewhere');
  await addExisting(suite.app, elsewhere, member, 'admin');
  expect((await membersWith(elsewhere, member.email))[0].access_tokens_count).toBe(0);
  for (const role of ['admin', 'viewer']) {
    const changed = await tenant.asOwner('PUT', `/members/${member.memberId}`, { role });
    expect(changed.body.data.access_tokens_count).toBe(1);
    expect([await use(), (await shown()).created_by]).toEqual([200, { type: 'user', id: member.id, role }]);
  }
  expect((await tenant.asOwner('DELETE', `/members/${member.memberId}`)).status).toBe(200);
  expect([await use(), (await shown()).created_by.role]).toEqual([200, null]);
  await addExisting(suite.app, tenant, member, 'viewer');
  const [back] = await membersWith(tenant, member.email);
  expect([back.access_tokens_count, await count(), (await shown()).created_by.role]).toEqual([1, 1, 'viewer']);
});

test('an access token stays valid when its creator is disabled, and shows that the creator lost access', async () => {
  const { member, shown, use } = await creator();
  await disableUser(suite.app, member.id);
  expect([await use(), (await shown()).created_by]).toEqual([200, { type: 'user', id: member.id, role: null }]);
});

test('an erased creator leaves the access token, which an owner can still find and revoke', async () => {
  const { app, tenant } = suite;
  const { member, id, shown, use } = await creator();
  expect((await askForDeletion(app, member)).status).toBe(202);
  clock.advance(31 * 86_400_000);
  await runTenantJobs(app);
  expect((await asUser(app, member, 'GET', '')).status).toBe(401);
  expect([await use(), (await shown()).created_by]).toEqual([200, { type: 'user', id: member.id, role: null }]);
  const listed = await tenant.asOwner('GET', `/access-tokens?created_by=${member.id}`);
  expect(listed.body.data).toMatchObject([{ id }]);
  await tenant.asOwner('DELETE', `/access-tokens/${id}`);
  expect(await use()).toBe(401);
});

test('the data export of a person lists the access tokens that the person created, without secrets', async () => {
  const { app, tenant } = suite;
  const { member, id } = await creator();
  const { id: ofOwner } = await newAccessToken(tenant);
  const requested = await asUser(app, member, 'POST', '/export');
  await runTenantJobs(app);
  const ready = await asUser(app, member, 'GET', `/exports/${requested.body.data.id}`);
  const { pathname } = new URL(ready.body.data.download_url);
  const file = await app.request({ method: 'GET', url: pathname, headers: member.auth });
  expect(file.body.access_tokens).toEqual([
    {
      id,
      tenant_id: tenant.id,
      name: 'Shop',
      hint: expect.stringMatching(/^service_[0-9a-f]{4}…[0-9a-f]{4}$/),
      role: 'admin',
      status: 'active',
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
    },
  ]);
  expect(file.text).not.toContain(ofOwner);
});

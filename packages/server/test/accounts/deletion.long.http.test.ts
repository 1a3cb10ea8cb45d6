import { beforeEach, describe, expect, test } from 'vitest';
import { readableDay } from '../../src/lib/readable-time.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  joinTenant,
  type TestTenant,
} from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { askForDeletion, asUser } from './account-data.ts';
import { auditOf, login } from './people.ts';

// The tokens must outlive the time that the tests let pass.
const suite = useApp({ ADMIN_TOKEN_TTL_HOURS: '8760', USER_TOKEN_TTL_DAYS: '365' });
const clock = useClock();
let admin: Account;

// A new admin for each test, because together the tests let more than a year pass.
beforeEach(async () => {
  admin = await createAdmin(suite.app);
});

const dayMs = 86_400_000;
const scheduledFor = async (account: Account) =>
  (await asUser(suite.app, account, 'GET', '')).body.data.deletion_scheduled_for;

async function isThere(id: string): Promise<boolean> {
  const { platform } = suite.app.services;
  return (await platform.query.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Creates a tenant with two owners. */
async function tenantOfTwo(): Promise<{ tenant: TestTenant; first: Account; second: Account }> {
  const tenant = await createTenant(suite.app, admin);
  const second = await createUser(suite.app);
  await joinTenant(suite.app, second, tenant.id, 'owner');
  return { tenant, first: tenant.owner, second };
}

async function memberIdOf(tenant: TestTenant, account: Account): Promise<string> {
  const { platform } = suite.app.services;
  const row = platform.query.selectFrom('memberships').select('id').where('tenant_id', '=', tenant.id);
  return (await row.where('user_id', '=', account.id).executeTakeFirstOrThrow()).id;
}

test('a deletion is scheduled in 30 days, announced by mail, and shown in the account', async () => {
  const account = await createUser(suite.app);
  const answer = await askForDeletion(suite.app, account);
  const planned = answer.body.data.deletion_scheduled_for;
  expect(answer.status).toBe(202);
  expect(Math.round((Date.parse(planned) - Date.now()) / dayMs)).toBe(30);
  expect(await scheduledFor(account)).toBe(planned);
  clock.advance(dayMs);
  expect((await askForDeletion(suite.app, account)).body.data.deletion_scheduled_for).toBe(planned);
  expect(await mailsTo(suite.app, account.email)).toEqual([expect.stringContaining(readableDay(planned))]);
  expect(await auditOf(suite.app, account.id)).toMatchObject([{ event: 'ACCOUNT.DELETION_SCHEDULED' }]);
});

test('a scheduled deletion can be cancelled until the erasure starts, and then nothing is erased', async () => {
  const account = await createUser(suite.app);
  await askForDeletion(suite.app, account);
  clock.advance(29 * dayMs);
  const session = await login(suite.app, { email: account.email });
  expect(session.status).toBe(200);
  const auth = { authorization: `Bearer ${session.body.data.access_token}` };
  for (let time = 1; time <= 2; time += 1) {
    const answer = await asUser(suite.app, { auth }, 'DELETE', '/deletion');
    expect([answer.status, answer.body.data.deletion_scheduled_for]).toEqual([200, null]);
  }
  const events = (await auditOf(suite.app, account.id)).map(({ event }) => event);
  expect(events).toEqual(['ACCOUNT.DELETION_SCHEDULED', 'ACCOUNT.DELETION_CANCELLED']);
  clock.advance(10 * dayMs);
  await runTenantJobs(suite.app);
  expect(await isThere(account.id)).toBe(true);
});

test('a deletion that is requested again after a cancellation takes another 30 days', async () => {
  const account = await createUser(suite.app);
  await askForDeletion(suite.app, account);
  clock.advance(20 * dayMs);
  await asUser(suite.app, account, 'DELETE', '/deletion');
  await askForDeletion(suite.app, account);
  clock.advance(11 * dayMs);
  await runTenantJobs(suite.app);
  expect(await isThere(account.id)).toBe(true);
  clock.advance(20 * dayMs);
  await runTenantJobs(suite.app);
  expect(await isThere(account.id)).toBe(false);
});

describe('bad input', () => {
  test.each<[string, object | undefined]>([
    ['a wrong password', { password: 'something else here' }],
    ['no password', {}],
    ['no body', undefined],
    ['a password that is not a string', { password: 1 }],
  ])('a deletion request with %s is refused and schedules nothing', async (_title, payload) => {
    const account = await createUser(suite.app);
    const answer = await asUser(suite.app, account, 'POST', '/deletion', payload);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, 'password']);
    expect(await scheduledFor(account)).toBeNull();
  });
});

describe('the last owner', () => {
  test('the last owner of an active tenant is refused until another member is an owner', async () => {
    const tenant = await createTenant(suite.app, admin, 'Acme');
    const refused = await askForDeletion(suite.app, tenant.owner);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'ACCOUNT.LAST_OWNER']);
    expect(refused.body.error.message).toContain('Acme');
    expect(await scheduledFor(tenant.owner)).toBeNull();
    await joinTenant(suite.app, await createUser(suite.app), tenant.id, 'admin');
    expect((await askForDeletion(suite.app, tenant.owner)).status).toBe(409);
    await joinTenant(suite.app, await createUser(suite.app), tenant.id, 'owner');
    expect((await askForDeletion(suite.app, tenant.owner)).status).toBe(202);
  });

  test('a disabled owner does not count as another owner', async () => {
    const { first, second } = await tenantOfTwo();
    const { platform, clock: now } = suite.app.services;
    await platform.query.updateTable('users').set({ disabled_at: now.now() }).where('id', '=', second.id).execute();
    expect((await askForDeletion(suite.app, first)).status).toBe(409);
  });

  test.each(['suspended', 'closed'] as const)('the last owner of a %s tenant is erased', async (status) => {
    const tenant = await createTenant(suite.app, admin);
    const url = `/api/v1/admin/tenants/${tenant.id}`;
    await suite.app.request({ method: 'PATCH', url, headers: admin.auth, payload: { status } });
    expect((await askForDeletion(suite.app, tenant.owner)).status).toBe(202);
    clock.advance(31 * dayMs);
    await runTenantJobs(suite.app);
    expect(await isThere(tenant.owner.id)).toBe(false);
  });

  test('a due erasure of the last owner is postponed with one mail until there is another owner', async () => {
    const { tenant, first, second } = await tenantOfTwo();
    await askForDeletion(suite.app, first);
    await tenant.asOwner('DELETE', `/members/${await memberIdOf(tenant, second)}`);
    for (let day = 31; day <= 33; day += 1) {
      clock.advance(day === 31 ? 31 * dayMs : dayMs);
      await runTenantJobs(suite.app);
    }
    expect(await isThere(first.id)).toBe(true);
    expect((await login(suite.app, { email: first.email })).status).toBe(200);
    const mails = await mailsTo(suite.app, first.email);
    expect(mails.filter((mail) => mail.includes('last owner of'))).toHaveLength(1);
    await joinTenant(suite.app, second, tenant.id, 'owner');
    clock.advance(dayMs + 1000);
    await runTenantJobs(suite.app);
    expect(await isThere(first.id)).toBe(false);
  });

  test('a tenant keeps one owner when the erasures of its two owners run concurrently', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const { tenant, first, second } = await tenantOfTwo();
      await Promise.all([first, second].map((owner) => askForDeletion(suite.app, owner)));
      clock.advance(31 * dayMs);
      await Promise.all([runTenantJobs(suite.app), runTenantJobs(suite.app)]);
      const { platform } = suite.app.services;
      const owners = platform.query.selectFrom('memberships').select('user_id').where('tenant_id', '=', tenant.id);
      expect(await owners.where('role', '=', 'owner').execute()).toHaveLength(1);
    }
  });

  test('a tenant keeps one owner when one owner is demoted during the erasure of the other', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const { tenant, first, second } = await tenantOfTwo();
      await askForDeletion(suite.app, second);
      const secondId = await memberIdOf(tenant, first);
      clock.advance(30 * dayMs + 1);
      const session = await login(suite.app, { email: second.email });
      const headers = { authorization: `Bearer ${session.body.data.access_token}` };
      const url = `/api/v1/tenant/members/${secondId}`;
      await Promise.all([
        runTenantJobs(suite.app),
        suite.app.request({ method: 'PUT', url, headers, payload: { role: 'viewer' } }),
      ]);
      const { platform } = suite.app.services;
      const owners = platform.query.selectFrom('memberships').select('user_id').where('tenant_id', '=', tenant.id);
      expect(await owners.where('role', '=', 'owner').execute()).toHaveLength(1);
    }
  });
});

test('the address of an erased user can be used again and inherits nothing', async () => {
  const account = await createUser(suite.app);
  const tenant = await createTenant(suite.app, admin);
  await joinTenant(suite.app, account, tenant.id, 'viewer');
  await askForDeletion(suite.app, account);
  clock.advance(31 * dayMs);
  await runTenantJobs(suite.app);
  expect((await login(suite.app, { email: account.email })).status).toBe(401);
  expect((await asUser(suite.app, account, 'GET', '')).status).toBe(401);
  const invited = await tenant.asOwner('POST', '/members', { email: account.email, role: 'viewer' });
  expect(invited.body.data).toMatchObject({ status: 'invited', user_id: null });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { type Account, createUser, joinTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { asUser } from './account-data.ts';
import { auditOf, inviteMember } from './people.ts';

const clock = useClock();
const suite = useTenant({ USER_TOKEN_TTL_DAYS: '365' });
let second: TestTenant;

beforeAll(async () => {
  second = await suite.newTenant('Second');
});

const dayMs = 86_400_000;

async function exported(account: Account) {
  const requested = await asUser(suite.app, account, 'POST', '/export');
  expect(requested.status).toBe(202);
  await runTenantJobs(suite.app);
  const { id } = requested.body.data;
  const ready = await asUser(suite.app, account, 'GET', `/exports/${id}`);
  expect(ready.body.data.status).toBe('ready');
  const { pathname, origin } = new URL(ready.body.data.download_url);
  expect(origin).toBe(suite.app.config.publicUrl);
  const file = await suite.app.request({ method: 'GET', url: pathname, headers: account.auth });
  return { id, ready: ready.body.data, file };
}

test('an export contains all data of a user in every tenant and no data of other users', async () => {
  const account = suite.tenant.owner;
  await joinTenant(suite.app, account, second.id, 'admin');
  await inviteMember(suite.app, { id: second.id, name: 'Second' }, account.email, 'viewer');
  const inSecond = { ...account.auth, 'x-tenant-id': second.id };
  const post = (url: string, payload: object) =>
    suite.app.request({ method: 'POST', url, headers: inSecond, payload, remoteAddress: '203.0.113.9' });
  const key = await post('/api/v1/tenant/api-keys', { name: 'Mine' });
  await post('/api/v1/tenant/products', { code: 'editor', name: 'Editor' });
  await suite.app.request({
    method: 'PUT',
    url: '/api/v1/tenant/settings',
    headers: inSecond,
    payload: { notification_emails: [account.email] },
  });
  await second.asOwner('POST', '/products', { code: 'other', name: 'Other' });

  const { file, ready } = await exported(account);
  expect(file.status).toBe(200);
  expect(file.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(file.headers['cache-control']).toBe('no-store');
  const data = file.body;
  expect(Object.keys(data)).toEqual([
    'exported_at',
    'memberships',
    'tokens',
    'authentication',
    'identities',
    'email_changes',
    'checkouts',
    'invitations',
    'marketing',
    'api_keys',
    'access_tokens',
    'audit_records',
    'mails',
    'exports',
    'recent_requests',
    'account',
    'tenants',
  ]);
  expect(data.account).toMatchObject([{ id: account.id, email: account.email, name: 'Ada Lovelace' }]);
  expect(data.memberships.map((row: { tenant_name: string }) => row.tenant_name)).toEqual(['Acme', 'Second']);
  expect(data.tokens).toHaveLength(1);
  expect(data.invitations).toMatchObject([{ tenant_id: second.id, email: account.email }]);
  expect(data.api_keys.map((row: { id: string }) => row.id)).toContain(key.body.data.id);
  expect(data.audit_records).toMatchObject([{ event: 'USER.LOGIN' }, { event: 'ACCOUNT.EXPORT_REQUESTED' }]);
  const inTenants = data.tenants.filter((row: { tenant_id: string }) => row.tenant_id === second.id);
  expect(inTenants.map((row: { event?: string; field?: string }) => row.event ?? row.field).sort()).toEqual([
    'API_KEY.CREATED',
    'PRODUCT.CREATED',
    'SETTINGS.UPDATED',
    'notification_emails',
  ]);
  expect(inTenants[0]).toMatchObject({ record: 'audit_record', ip: '203.0.113.9' });
  expect(file.text).not.toContain(second.owner.email);
  expect(file.text).not.toMatch(/password_hash|token_hash|key_hash|argon2/);
  expect(ready.progress.done).toBe(ready.progress.total);
  expect(Date.parse(ready.expires_at) - Date.now()).toBeGreaterThan(6.9 * dayMs);
});

test('an export of 1,300 records in several parts contains each record once and in order', async () => {
  const account = await createUser(suite.app);
  await joinTenant(suite.app, account, suite.tenant.id, 'admin');
  const { services } = suite.app;
  const at = services.clock.now();
  await services.tenants.withTenantDb(suite.tenant.id, async (db) => {
    const rows = Array.from({ length: 1300 }, (_, index) => {
      const id = `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
      const about = { resource_type: 'license', resource_id: null, request_id: null, ip: '203.0.113.9' };
      const actor = { actor_type: 'user', actor_id: account.id } as const;
      return { id, occurred_at: at, event: `NUMBER.${index}`, ...actor, ...about, changes_json: '[]' };
    });
    for (let first = 0; first < rows.length; first += 100) {
      await db.query
        .insertInto('audit_logs')
        .values(rows.slice(first, first + 100))
        .execute();
    }
  });
  const { file } = await exported(account);
  const events = file.body.tenants.map((row: { event: string }) => row.event);
  expect(events).toEqual(Array.from({ length: 1300 }, (_, index) => `NUMBER.${index}`));
});

test('concurrent requests return the same export, which is created once', async () => {
  const account = await createUser(suite.app);
  const answers = await Promise.all(Array.from({ length: 6 }, () => asUser(suite.app, account, 'POST', '/export')));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.data.id}`)).size).toBe(1);
  expect(answers[0]?.body.data).toMatchObject({ status: 'pending', progress: { done: 0 }, download_url: null });
  const { id } = answers[0]?.body.data ?? {};
  const early = await asUser(suite.app, account, 'GET', `/exports/${id}/download`);
  expect([early.status, early.body.error.code]).toEqual([409, 'ACCOUNT.EXPORT_NOT_READY']);
  await Promise.all([runTenantJobs(suite.app), runTenantJobs(suite.app)]);
  const records = await auditOf(suite.app, account.id);
  expect(records.map(({ event }) => event)).toEqual(['ACCOUNT.EXPORT_REQUESTED']);
  expect((await asUser(suite.app, account, 'GET', `/exports/${id}/download`)).body.account).toHaveLength(1);
});

test('a new export replaces the previous one', async () => {
  const account = await createUser(suite.app);
  const first = await exported(account);
  const next = await exported(account);
  expect(next.id).not.toBe(first.id);
  expect((await asUser(suite.app, account, 'GET', `/exports/${first.id}`)).status).toBe(404);
});

test('a user can request at most ten exports per hour', async () => {
  const account = await createUser(suite.app);
  for (let time = 1; time <= 10; time += 1) {
    expect((await asUser(suite.app, account, 'POST', '/export')).status).toBe(202);
  }
  const refused = await asUser(suite.app, account, 'POST', '/export');
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT.EXCEEDED']);
});

describe('access to an export', () => {
  test('neither an owner of the tenant nor an admin can read the export of a user', async () => {
    const account = await createUser(suite.app);
    const { id } = await exported(account);
    const unknown = await asUser(suite.app, suite.tenant.owner, 'GET', '/exports/01900000-0000-7000-8000-000000000000');
    for (const path of [`/exports/${id}`, `/exports/${id}/download`]) {
      const answer = await asUser(suite.app, suite.tenant.owner, 'GET', path);
      expect([answer.status, answer.body.error]).toEqual([404, unknown.body.error]);
      expect((await asUser(suite.app, suite.admin, 'GET', path)).status).toBe(401);
    }
  });
});

test('a stored export is encrypted and is deleted after seven days', async () => {
  const account = await createUser(suite.app);
  const { id } = await exported(account);
  const { platform } = suite.app.services;
  const parts = () =>
    platform.query.selectFrom('account_export_parts').selectAll().where('export_id', '=', id).execute();
  const kept = await parts();
  expect(kept.length).toBeGreaterThan(5);
  expect(JSON.stringify(kept)).not.toContain(account.email);
  clock.advance(7 * dayMs + 1000);
  expect((await asUser(suite.app, account, 'GET', `/exports/${id}`)).status).toBe(404);
  await runTenantJobs(suite.app);
  expect(await parts()).toEqual([]);
});

test('the list of exports has the newest export while it can be downloaded, and no export of another user', async () => {
  const [account, other] = [await createUser(suite.app), await createUser(suite.app)];
  const listed = async (person: Account) => (await asUser(suite.app, person, 'GET', '/exports')).body;
  expect(await listed(account)).toMatchObject({ data: [], meta: { next_cursor: null } });
  const requested = (await asUser(suite.app, account, 'POST', '/export')).body.data;
  expect((await listed(account)).data).toEqual([requested]);
  await runTenantJobs(suite.app);
  expect((await listed(account)).data).toMatchObject([{ id: requested.id, status: 'ready' }]);
  expect((await listed(other)).data).toEqual([]);
  clock.advance(7 * dayMs + 1);
  expect((await listed(account)).data).toEqual([]);
});

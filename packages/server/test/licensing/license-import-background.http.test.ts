import { beforeAll, expect, test } from 'vitest';
import { addSeconds } from '../../src/lib/duration.ts';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { csv, sendFile } from './license-files.ts';

const suite = useTenant();

beforeAll(async () => {
  await suite.app.listen();
  await newPolicy(suite.tenant, { code: 'yearly', duration_days: 365 });
});

const start = (payload: string, headers: Readonly<Record<string, string>> = {}) =>
  sendFile(suite.app, suite.tenant, payload, { query: '?background=true', headers });

const readImport = (id: string, tenant: TestTenant = suite.tenant) => tenant.asOwner('GET', `/licenses/imports/${id}`);

/** Waits until an import has ended, and returns it. */
async function ended(id: string) {
  await expect.poll(async () => (await readImport(id)).body.data.state, { timeout: 30_000 }).not.toBe('running');
  return (await readImport(id)).body.data;
}

const rowsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `yearly,${prefix}-${index}`);

test('an import in the background is answered at once, imports the valid rows and names the others', async () => {
  const answer = await start(csv('policy,key', ...rowsOf('MANY', 300), 'none,BAD', 'yearly,MANY-0'));
  expect(answer.status, answer.text).toBe(202);
  expect(answer.body.data).toMatchObject({ state: 'running', total: 300, done: 0, created: 0, failed: 2, errors: [] });
  expect(await ended(answer.body.data.id)).toMatchObject({
    ...{ state: 'done', total: 300, done: 300, created: 300, failed: 2, reason: null },
    errors: [
      { row: 301, field: 'policy', message: expect.any(String) },
      { row: 302, field: 'key', message: expect.any(String) },
    ],
  });
  const { body } = await suite.tenant.asOwner('GET', '/licenses?key=MANY-299');
  expect(body.data).toHaveLength(1);
});

test('a repeated request with the same idempotency key returns the same import and imports nothing twice', async () => {
  const file = csv('policy', 'yearly', 'yearly');
  const headers = { 'idempotency-key': 'background-1' };
  const [first, second] = [await start(file, headers), await start(file, headers)];
  expect([second.status, second.body.data.id]).toEqual([202, first.body.data.id]);
  expect(await ended(first.body.data.id)).toMatchObject({ state: 'done', created: 2 });
});

test('an admin follows the import of a tenant, and another tenant does not find it', async () => {
  const { id } = (await start(csv('policy,key', 'yearly,SEEN-1'))).body.data;
  await ended(id);
  const url = `/api/v1/admin/tenants/${suite.tenant.id}/licenses/imports/${id}`;
  const seen = await suite.app.request({ method: 'GET', url, headers: suite.admin.auth });
  expect(seen.body.data).toMatchObject({ id, state: 'done', created: 1 });
  const other = await createTenant(suite.app, suite.admin);
  expect((await readImport(id, other)).status).toBe(404);
});

test.for([
  [100, 'running', null],
  [130, 'failed', expect.stringContaining('was interrupted')],
] as const)('an import without progress for %i seconds is reported as %s', async ([seconds, state, reason]) => {
  const { id } = (await start(csv('policy,key', `yearly,SILENT-${seconds}`))).body.data;
  await ended(id);
  const { clock, tenants } = suite.app.services;
  const silent = { state: 'running', ended_at: null, updated_at: addSeconds(clock.now(), -seconds) } as const;
  await tenants.withTenantDb(suite.tenant.id, (db) =>
    db.query.updateTable('license_imports').set(silent).where('id', '=', id).execute(),
  );
  expect((await readImport(id)).body.data).toMatchObject({ state, reason });
});

test('a file of refused rows with their reasons is imported after its rows were corrected', async () => {
  const file = csv('policy,key,reason', 'yearly,AGAIN-1,"policy: Use the code of an existing policy."');
  const answer = await sendFile(suite.app, suite.tenant, file);
  expect(answer.body.data).toEqual({ created: 1, failed: 0, errors: [] });
});

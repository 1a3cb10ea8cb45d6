import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { importJob } from '../../src/features/licensing/licenses/import/import-job.ts';
import { runFirstStep, runTenantJobs } from '../jobs/job-rows.ts';
import { createAdmin, createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { countAllRows } from '../support/row-counts.ts';
import { csv, sendFile } from './license-files.ts';

const suite = useTenant();

beforeAll(async () => {
  await newPolicy(suite.tenant, { code: 'yearly', duration_days: 365 });
});

const start = (payload: string, headers: Readonly<Record<string, string>> = {}) =>
  sendFile(suite.app, suite.tenant, payload, { query: '?background=true', headers });

const readImport = (id: string, tenant: TestTenant = suite.tenant) => tenant.asOwner('GET', `/licenses/imports/${id}`);

/** Runs the job, which ends the import, and returns it. */
async function ended(id: string) {
  await runTenantJobs(suite.app);
  return (await readImport(id)).body.data;
}

/** Imports one batch. */
const importFirstBatch = (app: TestApp, tenantId: string) => runFirstStep(app, tenantId, importJob(app.services));

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
  const seen = await suite.asAdmin('GET', `/tenants/${suite.tenant.id}/licenses/imports/${id}`);
  expect(seen.body.data).toMatchObject({ id, state: 'done', created: 1 });
  const other = await suite.newTenant();
  expect((await readImport(id, other)).status).toBe(404);
});

test('a new process continues an import at the rows that an earlier one has left', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const first = await startApp(site);
  const tenant = await createTenant(first, await createAdmin(first));
  await newPolicy(tenant, { code: 'yearly' });
  const file = csv('policy,key', ...rowsOf('LEFT', 300), 'none,BAD', 'yearly,LEFT-0');
  const { id } = (await sendFile(first, tenant, file, { query: '?background=true' })).body.data;
  await importFirstBatch(first, tenant.id);
  const progress = { state: 'running', total: 300, done: 128, created: 128, failed: 2, errors: [] };
  expect((await readImport(id, tenant)).body.data).toMatchObject(progress);
  await stopApp(first);

  const second = await startApp(site);
  await runTenantJobs(second);
  const read = async (path: string) =>
    (await second.request({ method: 'GET', url: `/api/v1/tenant/licenses${path}`, headers: tenant.owner.auth })).body
      .data;
  const problems = [expect.objectContaining({ row: 301 }), expect.objectContaining({ row: 302 })];
  expect(await read(`/imports/${id}`)).toMatchObject({
    state: 'done',
    done: 300,
    created: 300,
    failed: 2,
    errors: problems,
  });
  expect(await read('?key=LEFT-299')).toHaveLength(1);
  expect((await countAllRows(second, tenant.id))['tenant.license_import_rows']).toBe(0);
  await stopApp(second);
});

test('an import whose policy was deleted before its job began fails, and its rows are deleted', async () => {
  const policy = await newPolicy(suite.tenant, { code: 'short-lived' });
  const { id } = (await start(csv('policy', 'short-lived'))).body.data;
  expect((await suite.tenant.asOwner('DELETE', `/policies/${policy.id}`)).status).toBe(200);
  const reason = expect.stringContaining('policy of the file was deleted');
  expect(await ended(id)).toMatchObject({ state: 'failed', created: 0, reason });
  expect((await countAllRows(suite.app, suite.tenant.id))['tenant.license_import_rows']).toBe(0);
});

test('a cancelled import creates no further license, and an import that has ended is not cancelled', async () => {
  const { id } = (await start(csv('policy,key', ...rowsOf('STOPPED', 300)))).body.data;
  await importFirstBatch(suite.app, suite.tenant.id);
  const cancel = () => suite.tenant.asOwner('POST', `/licenses/imports/${id}/cancel`);
  const cancelled = await cancel();
  const kept = { state: 'failed', done: 128, created: 128, reason: 'The import was cancelled.', errors: [] };
  expect(cancelled.body.data, cancelled.text).toMatchObject(kept);
  expect(await ended(id)).toEqual(cancelled.body.data);
  expect((await countAllRows(suite.app, suite.tenant.id))['tenant.license_import_rows']).toBe(0);
  const again = await cancel();
  expect([again.status, again.body.data]).toEqual([200, cancelled.body.data]);
  const { body } = await suite.tenant.asOwner('GET', '/audit-logs?event=LICENSE_IMPORT.CANCELLED');
  expect(body.data).toMatchObject([{ actor_type: 'user', resource_type: 'license_import', resource_id: id }]);
  expect((await readImport(id, await suite.newTenant())).status).toBe(404);
});

test('an erased customer is not a holder of a license that a running import creates afterwards', async () => {
  const email = 'erased@example.com';
  const file = csv('policy,key,holder_email', 'yearly,ERASED-1,Erased@example.com', 'yearly,KEPT-1,kept@example.com');
  await start(csv('policy,holder_email', `yearly,${email}`));
  await runTenantJobs(suite.app);
  const { id } = (await start(file)).body.data;
  expect((await suite.tenant.asOwner('DELETE', `/customers/${email}`)).status).toBe(200);
  expect(await ended(id)).toMatchObject({ state: 'done', created: 2 });
  expect((await everythingStored(suite.app, suite.tenant.id)).toLowerCase()).not.toContain(email);
  const [kept] = (await suite.tenant.asOwner('GET', '/licenses?key=KEPT-1')).body.data;
  expect(kept.holder.email).toBe('kept@example.com');
});

test('a file of refused rows with their reasons is imported after its rows were corrected', async () => {
  const file = csv('policy,key,reason', 'yearly,AGAIN-1,"policy: Use the code of an existing policy."');
  const answer = await sendFile(suite.app, suite.tenant, file);
  expect(answer.body.data).toEqual({ created: 1, failed: 0, errors: [] });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobRow, scheduleJob } from '../jobs/job-rows.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { licensing } from './licensing.ts';

let site: TestSite;
let app: TestApp;
let tenantId: string;

beforeAll(async () => {
  site = await createSite();
  app = await startApp(site);
  tenantId = (await createTenant(app, await createAdmin(app))).id;
  // The accounts' mails scheduled a job of the platform.
  await app.services.wakeUps.flush();
  await app.services.platform.query.deleteFrom('jobs').execute();
});

afterAll(async () => {
  await stopApp(app);
  await site.remove();
});

const dueAt = '2100-01-01T00:00:00.000000Z';
const failure = { status: 'dead', due_at: null, attempts: 8, last_error: 'no luck' } as const;

test('"jobs list" reports when there are no jobs', async () => {
  const listed = await licensing(['jobs', 'list'], site.env);
  expect(listed).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('There are no such jobs.') });
});

test('"jobs list" shows the jobs of all tenants, or only those in one state', async () => {
  for (const kind of ['leases', 'retention']) await scheduleJob(app, tenantId, kind, dueAt);
  await app.services.platform.query.updateTable('jobs').set(failure).where('kind', '=', 'retention').execute();
  const [listed, dead] = await Promise.all([
    licensing(['jobs', 'list'], site.env),
    licensing(['jobs', 'list', '--state', 'dead', '--json'], site.env),
  ]);
  expect(listed.stdout.split('\n')).toEqual([
    `${tenantId}  leases      waiting  ${dueAt}  0`,
    `${tenantId}  retention   dead     ${'-'.padEnd(27)}  8  no luck`,
    '',
  ]);
  expect(JSON.parse(dead.stdout)).toEqual([{ subject_id: tenantId, kind: 'retention', ...failure }]);
});

test('"jobs retry" makes a dead job due now and leaves other jobs unchanged', async () => {
  await scheduleJob(app, tenantId, 'expiring', dueAt);
  await app.services.platform.query.updateTable('jobs').set(failure).where('kind', '=', 'expiring').execute();
  const retry = (kind: string) => licensing(['jobs', 'retry', tenantId, kind], site.env);
  expect(await retry('expiring')).toMatchObject({ code: 0, stderr: expect.stringContaining('is due now') });
  const row = await jobRow(app, tenantId, 'expiring');
  expect(row).toMatchObject({ status: 'waiting', attempts: 0, last_error: null });
  expect(row.due_at !== null && row.due_at <= app.services.clock.now()).toBe(true);
  const [again, unknown] = await Promise.all([retry('expiring'), retry('nothing')]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('this one is waiting') });
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no such job') });
});

import { expect, onTestFinished, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { createJobSweep } from '../../src/jobs/sweep.ts';
import { newId } from '../../src/lib/ids.ts';
import { createAdmin, createTenant, useAdmin } from '../support/accounts.ts';
import { createSite, startApp, stopApp, useClock } from '../support/harness.ts';
import { jobRow, recordedJob, runnerOf, scheduleJob } from './job-rows.ts';

const clock = useClock();
const suite = useAdmin();

const setStatus = (id: string, status: string) => suite.asAdmin('PATCH', `/tenants/${id}`, { status });
const kindsOf = async (tenantId: string) => {
  const rows = suite.app.services.platform.query.selectFrom('jobs').select('kind');
  return (await rows.where('subject_id', '=', tenantId).orderBy('kind').execute()).map((row) => row.kind);
};

/** Inserts tenants without a database, which the sweep must not open. Returns their ids in order. */
async function insertTenants(count: number): Promise<string[]> {
  const { platform, clock: now } = suite.app.services;
  const at = now.now();
  const ids = Array.from({ length: count }, newId).sort();
  const row = { name: 'Acme', status: 'active' as const, plan_code: 'free', limits_json: '{}', placement: 'embedded' };
  const rest = { database_name: null, database_secret: null, created_at: at, updated_at: at, closed_at: null };
  const rows = ids.map((id) => ({ id, ...row, ...rest }));
  await platform.query.insertInto('tenants').values(rows).execute();
  return ids;
}

test('the sweep schedules the daily jobs of every active tenant, a page of tenants at a time, and keeps existing rows', async () => {
  const [first = '', suspended = '', ...others] = await insertTenants(5);
  await setStatus(suspended, 'suspended');
  const daily = recordedJob(undefined, { daily: true });
  const jobs = [daily, recordedJob()];
  const planned = '2026-11-21T11:00:00.000000Z';
  await scheduleJob(suite.app, first, daily.kind, planned);
  const sweep = createJobSweep({ ...suite.app.services, jobs, tenantsPerSweep: 2 });
  await sweep.sweepNext();
  expect(await kindsOf(others[2] ?? '')).toEqual([]);
  await sweep.sweepNext();
  await sweep.sweepNext();
  for (const id of others) {
    expect(await kindsOf(id)).toEqual([daily.kind]);
    const waitMs = Date.parse((await jobRow(suite.app, id, daily.kind)).due_at ?? '') - Date.now();
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(86_400_000);
  }
  expect(await kindsOf(suspended)).toEqual([]);
  expect((await jobRow(suite.app, first, daily.kind)).due_at).toBe(planned);
  const [late = ''] = await insertTenants(1);
  for (let sweeps = 0; sweeps < 4; sweeps += 1) await sweep.sweepNext();
  expect(await kindsOf(late)).toEqual([daily.kind]);
});

test('daily jobs of tenants are spread over the day', async () => {
  await insertTenants(5);
  await createBackgroundJobs(suite.app.services).sweep.sweepNext();
  const daily = suite.app.services.platform.query.selectFrom('jobs').select('due_at');
  const rows = await daily.where('kind', '=', 'retention').execute();
  expect(rows.length).toBeGreaterThan(4);
  expect(new Set(rows.map((row) => row.due_at)).size).toBeGreaterThan(rows.length / 2);
});

test('a parked job runs after its tenant becomes active again', async () => {
  const { id } = await suite.newTenant();
  const job = recordedJob();
  const runner = runnerOf(suite.app, [job]);
  const sweep = createJobSweep({ ...suite.app.services, jobs: [job] });
  await scheduleJob(suite.app, id, job.kind);
  await setStatus(id, 'suspended');
  await runner.runDue();
  await sweep.sweepNext();
  clock.advance(1000);
  await runner.runDue();
  expect([job.runs.length, (await jobRow(suite.app, id, job.kind)).status]).toEqual([0, 'parked']);
  await setStatus(id, 'active');
  await sweep.sweepNext();
  await runner.runDue();
  expect([job.runs.length, (await jobRow(suite.app, id, job.kind)).status]).toEqual([1, 'waiting']);
});

test('a listening service schedules daily jobs and runs due ones, and scheduling alone opens no tenant', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const before = await startApp(site);
  const { id } = await createTenant(before, await createAdmin(before));
  await scheduleJob(before, id, 'retention');
  await stopApp(before);
  const app = await startApp(site);
  onTestFinished(() => stopApp(app));
  const { sweep } = createBackgroundJobs(app.services);
  await sweep.sweepNext();
  expect(app.services.tenants.openCount).toBe(0);
  await app.listen();
  const dueInMs = async () => Date.parse((await jobRow(app, id, 'retention')).due_at ?? '') - Date.now();
  // A lease would end after 30 s; the next daily run is hours away.
  await expect.poll(dueInMs).toBeGreaterThan(30_000);
  expect((await app.request({ method: 'GET', url: '/metrics' })).text).toContain(
    'jobs_total{kind="retention",result="done"} 1',
  );
});

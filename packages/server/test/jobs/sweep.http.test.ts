import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTenantJobs } from '../../src/background.ts';
import { createJobSweep } from '../../src/jobs/sweep.ts';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, useApp, useClock } from '../support/harness.ts';
import { jobRow, recordedJob, runnerOf, scheduleJob } from './job-rows.ts';

const clock = useClock();
const suite = useApp();
let admin: Account;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
});

const setStatus = (id: string, status: string) =>
  suite.app.request({
    method: 'PATCH',
    url: `/api/v1/admin/tenants/${id}`,
    headers: admin.auth,
    payload: { status },
  });
const kindsOf = async (tenantId: string) => {
  const rows = suite.app.services.platform.query.selectFrom('jobs').select('kind');
  return (await rows.where('subject_id', '=', tenantId).orderBy('kind').execute()).map((row) => row.kind);
};

/** Tenants without a database of their own, which the sweep must not open. Answers their ids, in order. */
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

test('every active tenant gets its daily work, a page of tenants at a time, and what is there stays', async () => {
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
  for (let turn = 0; turn < 4; turn += 1) await sweep.sweepNext();
  expect(await kindsOf(late)).toEqual([daily.kind]);
});

test('the tenants of an installation do not all have their daily work at the same moment', async () => {
  await insertTenants(5);
  await createTenantJobs(suite.app.services).sweep.sweepNext();
  const daily = suite.app.services.platform.query.selectFrom('jobs').select('due_at');
  const rows = await daily.where('kind', '=', 'retention').execute();
  expect(rows.length).toBeGreaterThan(4);
  expect(new Set(rows.map((row) => row.due_at)).size).toBeGreaterThan(rows.length / 2);
});

test('what was parked goes on when its tenant is active again', async () => {
  const { id } = await createTenant(suite.app, admin);
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

test('a service that listens plans the daily work and does what is due, and one that does not opens no tenant for it', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const before = await startApp(site);
  const { id } = await createTenant(before, await createAdmin(before));
  await scheduleJob(before, id, 'retention');
  await stopApp(before);
  const app = await startApp(site);
  onTestFinished(() => stopApp(app));
  const { sweep } = createTenantJobs(app.services);
  await sweep.sweepNext();
  expect(app.services.tenants.openCount).toBe(0);
  await app.listen();
  const dueInMs = async () => Date.parse((await jobRow(app, id, 'retention')).due_at ?? '') - Date.now();
  // Its lease would end after 30 s, its next run is hours away.
  await expect.poll(dueInMs, { timeout: 10_000 }).toBeGreaterThan(30_000);
  expect((await app.request({ method: 'GET', url: '/metrics' })).text).toContain(
    'jobs_total{kind="retention",result="done"} 1',
  );
});

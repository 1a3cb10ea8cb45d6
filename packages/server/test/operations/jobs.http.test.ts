import { expect, test } from 'vitest';
import type { JobsTable } from '../../src/db/tables/platform/background.ts';
import { maxAttempts } from '../../src/jobs/claim.ts';
import { newId } from '../../src/lib/ids.ts';
import { addTenantRow, auditOf } from '../accounts/people.ts';
import { type RecordedJob, recordedJob, runnerOf, scheduleJob } from '../jobs/job-rows.ts';
import { useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useAdmin({ ADMIN_TOKEN_TTL_HOURS: '8760' });

const url = '/api/v1/admin/jobs';
const get = (path: string) => suite.app.request({ method: 'GET', url: `${url}${path}`, headers: suite.admin.auth });
const retry = (id: string) =>
  suite.app.request({ method: 'POST', url: `${url}/${id}/retry`, headers: suite.admin.auth });
const listed = async (query: string) => (await get(query)).body.data.map(({ id }: { id: string }) => id);

/** Runs a job until the service gives up. */
async function giveUp(job: RecordedJob, tenantId: string): Promise<string> {
  await scheduleJob(suite.app, tenantId, job.kind);
  const runner = runnerOf(suite.app, [job]);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await runner.runDue();
    clock.advance(6 * 3_600_000);
  }
  return `${tenantId}.${job.kind}`;
}

function addDead(subjectId: string, kind: string, updated_at: string): Promise<unknown> {
  const row = { subject_id: subjectId, kind, status: 'dead', due_at: null, wake_at: null, lease_owner: null } as const;
  const dead: JobsTable = { ...row, attempts: 8, last_error: 'no luck', updated_at };
  return suite.app.services.platform.query.insertInto('jobs').values(dead).execute();
}

test('a job of a tenant that failed too often is listed, and a retry runs it once, however many admins ask', async () => {
  const tenant = await suite.newTenant();
  let isFixed = false;
  const job = recordedJob(() => (isFixed ? Promise.resolve(null) : Promise.reject(new Error('the disk is full'))));
  const id = await giveUp(job, tenant.id);
  const dead = {
    id,
    kind: job.kind,
    subject_id: tenant.id,
    tenant: { id: tenant.id, name: 'Acme' },
    status: 'dead',
    attempts: maxAttempts,
    last_error: 'the disk is full',
    updated_at: expect.any(String),
  };
  expect((await get(`?tenant_id=${tenant.id}`)).body.data).toEqual([dead]);
  expect((await get(`/${id}`)).body.data).toEqual(dead);

  isFixed = true;
  const answers = await Promise.all(Array.from({ length: 5 }, () => retry(id)));
  for (const { status, body } of answers) {
    expect([status, body.data]).toEqual([200, expect.objectContaining({ status: 'waiting', attempts: 0 })]);
  }
  await Promise.all([runnerOf(suite.app, [job]).runDue(), runnerOf(suite.app, [job]).runDue()]);
  expect(job.runs).toHaveLength(maxAttempts + 1);
  expect(await listed(`?tenant_id=${tenant.id}`)).toEqual([]);
  expect(await auditOf(suite.app, id)).toEqual([
    expect.objectContaining({ event: 'JOB.RETRIED', actor_type: 'admin', actor_id: suite.admin.id }),
  ]);
});

test('jobs of the platform and of tenants are listed in the order in which the service gave up, page by page', async () => {
  const tenant = await addTenantRow(suite.app, 'Listed');
  const kind = 'listed';
  await addDead('platform', kind, '2026-11-21T00:00:00.000001Z');
  await addDead('sub_123', kind, '2026-11-21T00:00:00.000002Z');
  await addDead(tenant.id, kind, '2026-11-21T00:00:00.000002Z');
  await addDead(tenant.id, 'other', '2026-11-21T00:00:00.000003Z');
  const all = [`sub_123.${kind}`, `${tenant.id}.${kind}`, `platform.${kind}`];
  expect(await listed(`?kind=${kind}`)).toEqual(all);
  expect(await listed(`?kind=${kind}&tenant_id=${tenant.id}`)).toEqual([`${tenant.id}.${kind}`]);
  const first = await get(`?kind=${kind}&limit=2`);
  expect(await listed(`?kind=${kind}&limit=2&cursor=${first.body.meta.next_cursor}`)).toEqual(all.slice(2));
  expect((await get(`?kind=${kind}&limit=1`)).body.data[0]).toMatchObject({ tenant: null, subject_id: 'sub_123' });
  for (const cursor of ['x', Buffer.from("2026-11-21T00:00:00.000002Z a' b").toString('base64url')]) {
    expect((await get(`?cursor=${cursor}`)).status).toBe(422);
  }
});

test('a job that is not dead is not changed by a retry, and an unknown one is a 404', async () => {
  const tenant = await suite.newTenant();
  const job = recordedJob();
  await scheduleJob(suite.app, tenant.id, job.kind, '2027-01-01T00:00:00.000000Z');
  const id = `${tenant.id}.${job.kind}`;
  expect((await retry(id)).body.data).toMatchObject({ status: 'waiting' });
  expect([await auditOf(suite.app, id), job.runs]).toEqual([[], []]);
  for (const unknown of [`${newId()}.${job.kind}`, 'x', 'platform.unknown', "a'b.c", 'a.b.c']) {
    expect([unknown, (await retry(unknown)).status, (await get(`/${unknown}`)).status]).toEqual([unknown, 404, 404]);
  }
});

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { dunningJob, reconciliationJob } from '../../src/features/commerce/billing/billing-job.ts';
import { billingSyncKind } from '../../src/features/commerce/billing/enqueue.ts';
import { leaseJobKind } from '../../src/features/licensing/activations/activation.ts';
import { platformSubject } from '../../src/jobs/job.ts';
import { recordedProvider } from '../commerce/recorded-provider.ts';
import { jobRow, runPlatformRetention, runTenantJobs, scheduleJob } from '../jobs/job-rows.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { workedTables } from './filled-tables.ts';
import { fillForJobs } from './many-rows.ts';
import { type PlanWatch, watchPlans } from './query-plans.ts';

// A year after the creation of the rows, so that a tenth of the audit log is older than its retention of a year.
useClock('2027-01-01T00:00:00.002Z');
const now = '2027-01-01T00:00:00.002000Z';

const suite = useApp();
const watch: PlanWatch = { rules: undefined, problems: [] };
let tenant: TestTenant;

const inTenant = <Result>(work: (db: TenantDb) => Promise<Result>) =>
  suite.app.services.tenants.withTenantDb(tenant.id, work);

beforeAll(async () => {
  tenant = await createTenant(suite.app, await createAdmin(suite.app));
  const settings = await tenant.asOwner('PUT', '/settings', {
    retention_days: { audit: 365, usage: 726, deliveries: 365 },
  });
  if (settings.status !== 200) throw new Error(settings.text);
  await fillForJobs(suite.app, tenant);
  watchPlans(suite.app.services.platform.query as unknown as Kysely<never>, watch);
  await inTenant(async ({ query }) => watchPlans(query as unknown as Kysely<never>, watch));
});

/** Indexes that are scanned for the first or next lease or subscription, or that contain few rows. */
const scans = [
  'subscriptions_next_check',
  'billing_checkouts_open',
  'activations_open_lease_expires_at',
  'jobs_dead',
  'jobs_dead_of_subject',
  'jobs_dead_updated_at',
  'jobs_parked',
];

async function problemsOf(work: () => Promise<void>): Promise<string[]> {
  watch.problems = [];
  watch.rules = { bigTables: workedTables, scans };
  await work();
  watch.rules = undefined;
  return watch.problems;
}

/** Counts the rows of a table whose `column` is before a moment, except rows that the job must keep. */
async function countBefore(table: string, column: string, moment: string): Promise<number> {
  const waiting = sql`select event_id from webhook_deliveries where claimable_at is not null`;
  const held: Readonly<Record<string, RawBuilder<unknown>>> = {
    activations: sql`and released_at is null`,
    // Pending deliveries are kept, with their events.
    webhook_deliveries: sql`and claimable_at is null`,
    events: sql`and id not in (${waiting})`,
  };
  return await inTenant(async ({ query }) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
      where ${sql.ref(column)} < ${moment} ${held[table] ?? sql``}`.execute(query);
    return rows[0]?.count ?? 0;
  });
}

describe.each([
  {
    kind: leaseJobKind,
    work: { activations: () => countBefore('activations', 'lease_expires_at', now) },
  },
  {
    kind: 'retention',
    work: {
      audit_logs: () => countBefore('audit_logs', 'occurred_at', '2026-01-01T00:00:00.002000Z'),
      idempotency_keys: () => countBefore('idempotency_keys', 'expires_at', now),
      usage_events: () => countBefore('usage_events', 'recorded_at', '2025-01-05T00:00:00.000000Z'),
      usage_totals: () => countBefore('usage_totals', 'period', '2025-01-05'),
      notifications: () => countBefore('notifications', 'created_at', '2026-01-01T00:00:00.002000Z'),
      webhook_deliveries: () => countBefore('webhook_deliveries', 'created_at', '2026-01-01T00:00:00.002000Z'),
      events: () => countBefore('events', 'occurred_at', '2026-01-01T00:00:00.002000Z'),
    },
  },
  {
    kind: 'expiring',
    work: {
      licenses: () =>
        inTenant(async ({ query }) => {
          const uncounted = query
            .selectFrom('licenses')
            .select((eb) => eb.fn.countAll<number>().as('count'))
            .where('expires_at', '=', '2027-01-08T00:00:00.000000Z')
            .where('expiring_noted_for', 'is', null)
            .where('status', '=', 'active');
          return (await uncounted.executeTakeFirstOrThrow()).count;
        }),
    },
  },
])('the job $kind', ({ kind, work }) => {
  const left = async () => {
    const counts: [string, number][] = [];
    for (const [name, count] of Object.entries(work)) counts.push([name, await count()]);
    return counts;
  };

  test(`the job ${kind} finds all due rows by indexes and processes them`, async () => {
    for (const [name, count] of await left()) expect([name, count > 0]).toEqual([name, true]);
    await scheduleJob(suite.app, tenant.id, kind);
    expect(await problemsOf(() => runTenantJobs(suite.app))).toEqual([]);
    expect(await jobRow(suite.app, tenant.id, kind)).toMatchObject({
      status: 'waiting',
      attempts: 0,
      last_error: null,
    });
    for (const [name, count] of await left()) expect([name, count]).toEqual([name, 0]);
  });
});

test('the sweep repairs the jobs of some tenants without reading all of them', async () => {
  const { platform } = suite.app.services;
  const countParked = async () => {
    const rows = platform.query.selectFrom('jobs').select((eb) => eb.fn.countAll<number>().as('count'));
    return (await rows.where('status', '=', 'parked').executeTakeFirstOrThrow()).count;
  };
  expect(await countParked()).toBeGreaterThan(0);
  expect(await problemsOf(() => createBackgroundJobs(suite.app.services).sweep.sweepNext())).toEqual([]);
  expect(await countParked()).toBe(0);
});

describe.each([
  { job: dunningJob, subscriptions: 100, openCheckouts: 10 },
  { job: reconciliationJob, subscriptions: 200, openCheckouts: 0 },
])('the job $job.name', ({ job, subscriptions, openCheckouts }) => {
  test(`the job ${job.name} finds the subscriptions to sync by indexes`, async () => {
    const { services } = suite.app;
    const { query } = services.platform;
    const payments = { ...recordedProvider(), now: () => Promise.resolve(now) };
    const run = { subjectId: platformSubject, signal: new AbortController().signal };
    const work = async () => void (await job({ ...services, payments }).runForPlatform(run));
    expect(await problemsOf(work)).toEqual([]);
    const syncs = await query.selectFrom('jobs').select('kind').where('kind', '=', billingSyncKind).execute();
    const open = await query.selectFrom('billing_checkouts').select('id').where('status', '=', 'open').execute();
    expect([syncs.length, open.length]).toEqual([subscriptions, openCheckouts]);
  });
});

test('activity figures that are too old are found by indexes and all deleted', async () => {
  const { platform } = suite.app.services;
  const clock = { now: () => '2026-02-18T03:30:00.000000Z', nowMs: () => Date.parse('2026-02-18T03:30:00Z') };
  // Excludes 2027, because the service flushes figures of this suite's own requests at any time.
  const counts = async () => {
    const { rows } = await sql<Record<string, number>>`select
      (select count(*) from activity_points where bucket_start < '2025-12-20T03:30' and ${sql.ref('interval')} = 'hour') as hours,
      (select count(*) from api_key_requests where ${sql.ref('day')} < '2026-02-11') as keys,
      (select count(*) from rate_limited_tenants where last_rejected_at < '2025-12-20T03:30') as limited,
      (select count(*) from verdict_points where bucket_start < '2025-12-20T03:30' and ${sql.ref('interval')} = 'hour') as verdicts,
      (select count(*) from verdict_points where bucket_start < '2027') as all_verdicts,
      (select count(*) from activity_points where bucket_start < '2027') as points,
      (select count(*) from api_key_requests where ${sql.ref('day')} < '2027') as all_keys,
      (select count(*) from rate_limited_tenants where last_rejected_at < '2027') as all_limited`.execute(
      platform.query,
    );
    return rows[0];
  };
  const before = await counts();
  for (const old of ['hours', 'keys', 'limited', 'verdicts']) expect(before?.[old]).toBeGreaterThan(900);
  const trim = async () => {
    expect(await runPlatformRetention({ clock, platform }, 'activity-retention')).toBeNull();
  };
  expect(await problemsOf(trim)).toEqual([]);
  const { hours = 0, keys = 0, limited = 0, verdicts = 0 } = before ?? {};
  const { points = 0, all_keys = 0, all_limited = 0, all_verdicts = 0 } = before ?? {};
  expect(await counts()).toEqual({
    hours: 0,
    keys: 0,
    limited: 0,
    verdicts: 0,
    points: points - hours,
    all_verdicts: all_verdicts - verdicts,
    all_keys: all_keys - keys,
    all_limited: all_limited - limited,
  });
});

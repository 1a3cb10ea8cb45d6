import { createBackgroundJobs } from '../../src/background.ts';
import type { JobsTable } from '../../src/db/tables/platform/background.ts';
import { platformRetentionJobs } from '../../src/features/tenant-core/retention/retention-job.ts';
import { type AnyJob, type Job, type JobRun, platformSubject } from '../../src/jobs/job.ts';
import { createJobRunner, type JobRunner } from '../../src/jobs/runner.ts';
import type { Timestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { platformRetention } from '../../src/retention-rules.ts';
import type { PlatformServices } from '../../src/services.ts';
import { withFirstTransaction } from '../../src/tenancy/first-transaction.ts';
import type { TestApp } from '../support/harness.ts';

/** A job of a unique kind that records its runs. */
export interface RecordedJob extends Job {
  readonly runs: JobRun[];
  /** Number of active runs. */
  active: number;
}

/** Creates a job that runs `work`. By default the job does nothing and returns null. */
export function recordedJob(
  work: (run: JobRun) => Promise<Timestamp | null> = () => Promise.resolve(null),
  fields: Partial<Job> = {},
): RecordedJob {
  const job: RecordedJob = {
    kind: newId(),
    daily: false,
    ...fields,
    runs: [],
    active: 0,
    async run(run) {
      job.runs.push(run);
      job.active += 1;
      try {
        return await work(run);
      } finally {
        job.active -= 1;
      }
    },
  };
  return job;
}

/** Creates a runner of these jobs on a service's databases, like that of another node. */
export function runnerOf(app: TestApp, jobs: readonly AnyJob[], concurrency = 4): JobRunner {
  return createJobRunner({ ...app.services, metrics: app.services.metrics.jobs, jobs, concurrency });
}

/** Writes buffered wake-ups, then runs all real jobs that are due. */
export async function runTenantJobs(app: TestApp): Promise<void> {
  await app.services.wakeUps.flush();
  await createBackgroundJobs(app.services).runner.runDue();
}

/** Runs a tenant's job until it has stored its first step, as if the process ended then. */
export async function runFirstStep({ services }: TestApp, tenantId: string, job: Job): Promise<void> {
  const stop = new AbortController();
  await services.tenants.withTenantDb(tenantId, (db) => {
    const stopping = withFirstTransaction(db, async () => stop.abort());
    return job.run({ tenantId, db: stopping, signal: stop.signal });
  });
}

/** Schedules a job at `dueAt` (by default now) and writes its row. */
export async function scheduleJob(app: TestApp, tenantId: string, kind: string, dueAt?: Timestamp): Promise<void> {
  const { wakeUps, clock } = app.services;
  wakeUps.scheduleAfterCommit(tenantId, kind, dueAt ?? clock.now());
  await wakeUps.flush();
}

/** Returns the row of a tenant's job. */
export async function jobRow(app: TestApp, tenantId: string, kind: string): Promise<JobsTable> {
  const rows = app.services.platform.query.selectFrom('jobs').selectAll();
  return await rows.where('subject_id', '=', tenantId).where('kind', '=', kind).executeTakeFirstOrThrow();
}

/** Returns the time that many milliseconds from now. */
export function inMs(milliseconds: number): Timestamp {
  return new Date(Date.now() + milliseconds).toISOString().replace('Z', '000Z');
}

/** Runs the job that deletes old rows of one kind from the platform database. Returns when it continues, or null. */
export async function runPlatformRetention(
  services: PlatformServices,
  kind: string,
  signal = new AbortController().signal,
): Promise<Timestamp | null> {
  const job = platformRetentionJobs(services, platformRetention).find((one) => one.kind === kind);
  if (job === undefined) throw new Error(`There is no job of the kind ${kind}.`);
  return await job.runForPlatform({ subjectId: platformSubject, signal });
}

import { createTenantJobs } from '../../src/background.ts';
import type { JobsTable } from '../../src/db/tables/platform/jobs.ts';
import type { Job, JobRun } from '../../src/jobs/job.ts';
import { createJobRunner, type JobRunner } from '../../src/jobs/runner.ts';
import type { Timestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import type { TestApp } from '../support/harness.ts';

/** A job of a kind of its own, with what its runs did. */
export interface RecordedJob extends Job {
  readonly runs: JobRun[];
  /** How many run at this moment. */
  active: number;
}

/** Makes a job that runs `work`; by default it does nothing and has nothing further to do. */
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

/** A runner of these jobs on a service's databases, as another node has. */
export function runnerOf(app: TestApp, jobs: readonly Job[], concurrency = 4): JobRunner {
  return createJobRunner({ ...app.services, metrics: app.services.metrics.jobs, jobs, concurrency });
}

/** Runs the real jobs that are due, after what was hinted at is written. */
export async function runTenantJobs(app: TestApp): Promise<void> {
  await app.services.wakeUps.flush();
  await createTenantJobs(app.services).runner.runDue();
}

/** Notes that work is due, now unless said otherwise, and writes it. */
export async function scheduleJob(app: TestApp, tenantId: string, kind: string, dueAt?: Timestamp): Promise<void> {
  const { wakeUps, clock } = app.services;
  wakeUps.scheduleAfterCommit(tenantId, kind, dueAt ?? clock.now());
  await wakeUps.flush();
}

/** The row of a tenant's work. */
export async function jobRow(app: TestApp, tenantId: string, kind: string): Promise<JobsTable> {
  const rows = app.services.platform.query.selectFrom('jobs').selectAll();
  return await rows.where('subject_id', '=', tenantId).where('kind', '=', kind).executeTakeFirstOrThrow();
}

/** The moment so many milliseconds after now. */
export function inMs(milliseconds: number): Timestamp {
  return new Date(Date.now() + milliseconds).toISOString().replace('Z', '000Z');
}

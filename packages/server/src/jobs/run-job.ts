import type { Logger } from 'pino';
import type { PlatformDb } from '../db/database.ts';
import { isUnavailable } from '../db/errors.ts';
import type { Clock, Timestamp } from '../lib/clock.ts';
import { retryAt, retrySchedules } from '../lib/retry-schedule.ts';
import type { TenantPool } from '../tenancy/tenant-pool.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Claim } from './claim.ts';
import { type AnyJob, earlierOf, isPlatformJob, nextDailyRun } from './job.ts';
import { giveBack, removeFinished, resetEarlierAttempts } from './queries.ts';

/** The result of a run. `lost`: the row was claimed again during the run, or the result could not be written. */
export type RunResult = 'done' | 'failed' | 'dead' | 'lost';

export interface RunDependencies {
  readonly platform: PlatformDb;
  readonly tenants: Pick<TenantPool, 'withTenantDb'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly tracing?: Tracing | null;
}

/** A run in progress, under one claim of its row. Its result is recorded only while the row has that claim's lease. */
export interface ActiveRun {
  readonly claim: Claim;
  readonly job: AnyJob;
  readonly abort: AbortController;
  /** The work has ended, and its result is being recorded, which releases the row. */
  hasEnded: boolean;
}

const errorMaxLength = 500;

/**
 * Runs a claimed job and records its result. Never throws: if the result cannot be written, the job runs again after
 * its lease.
 */
export async function runJob(dependencies: RunDependencies, run: ActiveRun): Promise<RunResult> {
  const { kind, subject_id } = run.claim;
  const span = dependencies.tracing?.start(`job ${kind}`, 'internal');
  const result = await runToResult(dependencies, run);
  const attributes = {
    'licensing.job.kind': kind,
    'licensing.job.subject': subject_id,
    'licensing.job.result': result,
  };
  span?.end({ attributes, isFailure: result !== 'done' });
  return result;
}

async function runToResult(dependencies: RunDependencies, run: ActiveRun): Promise<RunResult> {
  try {
    return await runAndRecord(dependencies, run);
  } catch (error) {
    const context = { err: error, subject_id: run.claim.subject_id, kind: run.claim.kind };
    dependencies.logger.warn(context, 'the result of a background job was not recorded; it runs again after its lease');
    return 'lost';
  }
}

async function runAndRecord(dependencies: RunDependencies, run: ActiveRun): Promise<RunResult> {
  const { platform, clock } = dependencies;
  const subjectId = run.claim.subject_id;
  let nextDueAt: Timestamp | null;
  try {
    nextDueAt = await work(dependencies, run, reporterOf(dependencies, run));
  } catch (error) {
    run.hasEnded = true;
    return await fail(dependencies, run, error);
  }
  run.hasEnded = true;
  const { leaseOwner } = run.claim;
  const at = clock.now();
  const due_at = run.job.daily ? earlierOf(nextDueAt, nextDailyRun(subjectId, at)) : nextDueAt;
  // A tenant's row is kept for the next wake-up. Platform rows are deleted, or each subject would leave one forever.
  const isOver = isPlatformJob(run.job) && due_at === null;
  if (isOver && (await removeFinished(platform, run.claim, leaseOwner))) return 'done';
  const success = { status: 'waiting', due_at, attempts: 0, last_error: null, updated_at: at } as const;
  return (await giveBack(platform, run.claim, leaseOwner, success)) ? 'done' : 'lost';
}

/** Returns the function with which a run reports progress. It writes at most once, and only after a death. */
function reporterOf({ platform, logger }: RunDependencies, { claim, job }: ActiveRun): () => void {
  let isReported = !claim.followsDeath;
  return () => {
    if (isReported) return;
    isReported = true;
    resetEarlierAttempts(platform, claim, claim.leaseOwner).catch((error: unknown) => {
      const context = { err: error, subject_id: claim.subject_id, kind: job.kind };
      logger.warn(context, 'the progress of a background job was not recorded; earlier crashes still count');
    });
  };
}

function work(
  { tenants }: RunDependencies,
  { job, claim, abort: { signal } }: ActiveRun,
  reportProgress: () => void,
): Promise<Timestamp | null> {
  const tenantId = claim.subject_id;
  if (isPlatformJob(job)) return job.runForPlatform({ subjectId: claim.subject_id, signal });
  if ('runUnopened' in job) return job.runUnopened({ tenantId, signal, reportProgress });
  return tenants.withTenantDb(tenantId, (db) => job.run({ tenantId, db, signal }));
}

/**
 * Records a failed run. Runs of jobs with `outlastsFailures`, and runs that fail because a database is unavailable, are
 * retried without limit. After the last failure of the schedule the row of any other job is dead.
 */
async function fail(dependencies: RunDependencies, run: ActiveRun, error: unknown): Promise<RunResult> {
  const { platform, clock, logger } = dependencies;
  const { claim, job } = run;
  const at = clock.now();
  const isEndless = job.outlastsFailures === true || isUnavailable(error);
  const due_at = retryAt(isEndless ? retrySchedules.endlessJob : retrySchedules.job, claim.attempts, clock.nowMs());
  const outcome = {
    status: due_at === null ? ('dead' as const) : ('waiting' as const),
    due_at,
    last_error: describe(error),
    attempts: claim.attempts,
    updated_at: at,
  };
  if (!(await giveBack(platform, claim, claim.leaseOwner, outcome))) return 'lost';
  const context = { err: error, subject_id: claim.subject_id, kind: claim.kind, attempts: claim.attempts };
  if (due_at === null) {
    logger.error(context, 'background job failed too often and stops: fix the cause, then run "licensing jobs retry"');
    return 'dead';
  }
  logger.warn(context, 'background job failed; it will be retried');
  return 'failed';
}

function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // PostgreSQL cannot store NUL, and control characters must not reach the terminal of `licensing jobs list`.
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, errorMaxLength) || 'An error without a message.';
}

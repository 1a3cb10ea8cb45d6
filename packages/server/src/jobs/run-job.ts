import type { Logger } from 'pino';
import type { PlatformDb } from '../db/database.ts';
import { isUnavailable } from '../db/errors.ts';
import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import type { TenantPool } from '../tenancy/tenant-pool.ts';
import { type Claim, maxAttempts } from './claim.ts';
import { type AnyJob, earlierOf, isPlatformJob, nextDailyRun } from './job.ts';
import { giveBack, removeFinished } from './queries.ts';

/** How a run ended: `lost` when another took its row over meanwhile. */
export type RunResult = 'done' | 'failed' | 'dead' | 'lost';

export interface RunDependencies {
  readonly platform: PlatformDb;
  readonly tenants: Pick<TenantPool, 'withTenantDb'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** A run in progress. Its claim is replaced when its lease ended and this very process took the row again. */
export interface ActiveRun {
  claim: Claim;
  readonly job: AnyJob;
  readonly abort: AbortController;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
/** The wait after each failure in a row. */
const retryDelaysMs = [5 * secondMs, 30 * secondMs, ...[2, 10, 30, 120, 360].map((minutes) => minutes * minuteMs)];
/** What waits for a database to come back should not wait for long after it has. */
const unavailableDelayMaxMs = 10 * minuteMs;
const errorMaxLength = 500;

/** Runs a claimed job and writes how it ended. Never throws: what cannot be written is taken over after the lease. */
export async function runJob(dependencies: RunDependencies, run: ActiveRun): Promise<RunResult> {
  try {
    return await runToItsEnd(dependencies, run);
  } catch (error) {
    const context = { err: error, subject_id: run.claim.subject_id, kind: run.claim.kind };
    dependencies.logger.warn(context, 'how background work ended was not written; it runs again after its lease');
    return 'lost';
  }
}

async function runToItsEnd(dependencies: RunDependencies, run: ActiveRun): Promise<RunResult> {
  const { platform, clock } = dependencies;
  const subjectId = run.claim.subject_id;
  let nextDueAt: Timestamp | null;
  try {
    nextDueAt = await work(dependencies, run);
  } catch (error) {
    return await fail(dependencies, run, error);
  }
  // Only now: while it ran, this very process may have taken the row again.
  const { leaseOwner } = run.claim;
  const at = clock.now();
  const due_at = run.job.daily ? earlierOf(nextDueAt, nextDailyRun(subjectId, at)) : nextDueAt;
  // A tenant's row is kept, and hinted at again soon. Of the platform's there would be one more for each subject ever.
  const isOver = isPlatformJob(run.job) && due_at === null;
  if (isOver && (await removeFinished(platform, run.claim, leaseOwner))) return 'done';
  const success = { status: 'waiting', due_at, attempts: 0, last_error: null, updated_at: at } as const;
  return (await giveBack(platform, run.claim, leaseOwner, success)) ? 'done' : 'lost';
}

function work({ tenants }: RunDependencies, { job, claim, abort: { signal } }: ActiveRun): Promise<Timestamp | null> {
  const tenantId = claim.subject_id;
  if (isPlatformJob(job)) return job.runForPlatform({ subjectId: claim.subject_id, signal });
  if ('runUnopened' in job) return job.runUnopened({ tenantId, signal });
  return tenants.withTenantDb(tenantId, (db) => job.run({ tenantId, db, signal }));
}

/** A database that cannot be reached is waited for, however long; any other failure is given up in the end. */
async function fail(dependencies: RunDependencies, run: ActiveRun, error: unknown): Promise<RunResult> {
  const { platform, clock, logger } = dependencies;
  const { claim } = run;
  const at = clock.now();
  const delayMs = retryDelayMs(claim.attempts, isUnavailable(error));
  const outcome = {
    status: delayMs === undefined ? ('dead' as const) : ('waiting' as const),
    due_at: delayMs === undefined ? null : toTimestamp(clock.nowMs() + delayMs),
    last_error: describe(error),
    updated_at: at,
  };
  if (!(await giveBack(platform, claim, claim.leaseOwner, outcome))) return 'lost';
  const context = { err: error, subject_id: claim.subject_id, kind: claim.kind, attempts: claim.attempts };
  if (delayMs === undefined) {
    logger.error(context, 'background work is given up: correct the cause, then run "licensing jobs retry"');
    return 'dead';
  }
  logger.warn(context, 'background work failed and is tried again later');
  return 'failed';
}

/** The wait after so many failures in a row; undefined when it is not tried again. */
function retryDelayMs(attempts: number, isOutage: boolean): number | undefined {
  if (!isOutage) return attempts < maxAttempts ? retryDelaysMs[attempts - 1] : undefined;
  return Math.min(retryDelaysMs[attempts - 1] ?? unavailableDelayMaxMs, unavailableDelayMaxMs);
}

function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // PostgreSQL stores no NUL, and what is listed on a terminal must not steer it.
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, errorMaxLength) || 'An error without a message.';
}

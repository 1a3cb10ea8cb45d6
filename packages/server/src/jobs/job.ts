import type { TenantDb } from '../db/database.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../lib/clock.ts';

/** One run of a job for one tenant. */
export interface JobRun {
  readonly tenantId: string;
  readonly db: TenantDb;
  /**
   * Aborted when the process stops or the run has lost its lease. The run must then finish its current batch and return
   * the time at which the work should continue, which may be now.
   */
  readonly signal: AbortSignal;
}

/** Properties of every kind of job. */
interface JobKind {
  readonly kind: string;
  /**
   * True if the job also runs once a day without a wake-up, for every tenant or for the platform. The daily run finds
   * work after a lost wake-up.
   */
  readonly daily: boolean;
  /**
   * Maximum concurrent runs of this kind in one process, separate from the limit of all other kinds. If absent, the
   * kind shares the runner's slots with the other kinds.
   */
  readonly slots?: number;
  /**
   * True if the job never becomes `dead` because its process died, however often: the crash may have another cause, and
   * the job must continue without an operator.
   */
  readonly outlastsCrashes?: boolean;
  /**
   * True if the job never becomes `dead` because its runs fail. After the first failures it runs every ten minutes.
   */
  readonly outlastsFailures?: boolean;
}

/**
 * A tenant's job that mostly waits for I/O, such as for responses of webhook endpoints. Its runs do not hold the
 * tenant's database open; they open it for each use.
 */
export interface WaitingJob extends JobKind {
  /** Like `run` of `Job`, without an open database. */
  runUnopened(run: WaitingJobRun): Promise<Timestamp | null>;
}

/** One run of a `WaitingJob`. */
export interface WaitingJobRun extends Omit<JobRun, 'db'> {
  /**
   * Tells the runner that a part of the work is complete and recorded, although the run continues: processes that died
   * during earlier runs then no longer count.
   */
  readonly reportProgress: () => void;
}

/** A job that runs for one tenant at a time. */
export type TenantJob = Job | WaitingJob;

/**
 * A job of the platform. The subject's id names the row of the platform database that the job processes. `enqueueJob`
 * writes the job's row in the transaction that creates the work, so no job is lost.
 */
export interface PlatformJob extends JobKind {
  /** Like `run` of `Job`. Null means that the work is complete; its row is then deleted. */
  runForPlatform(run: PlatformJobRun): Promise<Timestamp | null>;
}

/** One run of a platform job. */
export interface PlatformJobRun {
  readonly subjectId: string;
  /** Like `signal` of `JobRun`. */
  readonly signal: AbortSignal;
}

export type AnyJob = TenantJob | PlatformJob;

/** The subject of the platform's daily jobs, which process the platform as a whole. */
export const platformSubject = 'platform';

/** Returns true for a job of the platform, false for a job of tenants. */
export function isPlatformJob(job: AnyJob): job is PlatformJob {
  return 'runForPlatform' in job;
}

/**
 * A job of one kind that runs with the tenant's database open. A run may be repeated at any time and may find nothing
 * to do, because its row is only a wake-up. Two runs for the same tenant can overlap if a process stalls for longer
 * than its lease, so a run must be correct beside another one.
 */
export interface Job extends JobKind {
  /** Processes all due work. Returns when the next work is due according to the tenant's data, or null if none is. */
  run(run: JobRun): Promise<Timestamp | null>;
}

const dayMs = 86_400_000;

/** Returns the subject's daily offset in milliseconds: an FNV-1a hash that spreads the tenants over the day. */
function offsetMs(subjectId: string): number {
  let hash = 0x811c9dc5;
  for (const character of subjectId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash % dayMs;
}

/**
 * Returns the first time after `now` at which the daily jobs of a tenant (or of `platformSubject`) are due. All kinds
 * share that time, so that the tenant's database is opened once for all of them.
 */
export function nextDailyRun(subjectId: string, now: Timestamp): Timestamp {
  const nowMs = toEpochMs(now);
  const todayMs = nowMs - (nowMs % dayMs) + offsetMs(subjectId);
  return toTimestamp(todayMs > nowMs ? todayMs : todayMs + dayMs);
}

/** Returns the earlier of two times; null means never. */
export function earlierOf(one: Timestamp | null, other: Timestamp | null): Timestamp | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

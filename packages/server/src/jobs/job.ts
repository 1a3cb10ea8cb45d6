import type { TenantDb } from '../db/database.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../lib/clock.ts';

/** One run of a job for one tenant. */
export interface JobRun {
  readonly tenantId: string;
  readonly db: TenantDb;
  /**
   * Aborted when the process stops or the run has lost its lease: end after the batch in hand and answer when to go
   * on, at once for instance.
   */
  readonly signal: AbortSignal;
}

/** What every kind of work has. */
interface JobKind {
  readonly kind: string;
  /**
   * True when it also runs once a day, for every tenant or for the platform, hinted at or not: that finds what lost
   * wakeUps left behind.
   */
  readonly daily: boolean;
  /**
   * How many runs of this kind a process has at the same time, beside those of all other kinds. Without it the kind
   * shares the runner's places.
   */
  readonly slots?: number;
  /**
   * True when a run whose process ends, however often, is put off and never given up: what stops it may have nothing to
   * do with it, and nobody should have to notice for it to go on. Runs that fail by themselves are given up as usual.
   */
  readonly outlastsCrashes?: boolean;
}

/**
 * Work that waits for others most of the time, such as for the answers of endpoints: its runs hold no database, and
 * open the tenant's for each use.
 */
export interface WaitingJob extends JobKind {
  /** As `run` of `Job`. */
  runUnopened(run: Omit<JobRun, 'db'>): Promise<Timestamp | null>;
}

/** Work for tenants. */
export type TenantJob = Job | WaitingJob;

/**
 * Work of the platform itself, about a row of its database that the subject's id names. Its rows are written with
 * `enqueueJob` in the transaction that makes the work, so that none is lost.
 */
export interface PlatformJob extends JobKind {
  /** As `run` of `Job`. With null the work is over, and its row goes. */
  runForPlatform(run: PlatformJobRun): Promise<Timestamp | null>;
}

/** One run of the platform's work. */
export interface PlatformJobRun {
  readonly subjectId: string;
  /** As in `JobRun`. */
  readonly signal: AbortSignal;
}

export type AnyJob = TenantJob | PlatformJob;

/** The subject of the platform's daily work, which is about the platform as a whole. */
export const platformSubject = 'platform';

/** True for the platform's own work. */
export function isPlatformJob(job: AnyJob): job is PlatformJob {
  return 'runForPlatform' in job;
}

/**
 * Work of one kind. A run may be repeated at any time, and may find that nothing is to be done: the row that started
 * it is only a wakeUp. It must be correct beside another run of itself, which can begin when a process was held up for
 * longer than its lease.
 */
export interface Job extends JobKind {
  /** Does what is due. Answers when something is due next, as the tenant's data says it now; null: nothing is. */
  run(run: JobRun): Promise<Timestamp | null>;
}

const dayMs = 86_400_000;

/** Spreads the tenants over the day (FNV-1a): the same moment every day for the same tenant. */
function offsetMs(subjectId: string): number {
  let hash = 0x811c9dc5;
  for (const character of subjectId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash % dayMs;
}

/**
 * The next moment after `now` at which a tenant's daily work is due: the same for all kinds, so that its database is
 * opened for them once. The platform's is due at a moment of its own.
 */
export function nextDailyRun(subjectId: string, now: Timestamp): Timestamp {
  const nowMs = toEpochMs(now);
  const todayMs = nowMs - (nowMs % dayMs) + offsetMs(subjectId);
  return toTimestamp(todayMs > nowMs ? todayMs : todayMs + dayMs);
}

/** The earlier of two moments; null is never. */
export function earlierOf(one: Timestamp | null, other: Timestamp | null): Timestamp | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

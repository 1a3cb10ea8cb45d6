import type { PlatformDb } from '../db/database.ts';
import type { JobsTable } from '../db/tables/platform/background.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { type Due, findActiveTenants, type JobName, lockDueJobs, updateJobRow } from './queries.ts';

/** Attempts after which a failed run makes the row `dead`. Failed runs and died processes count. */
export const maxAttempts = 8;

/**
 * Minimum age of a process that runs a job during which `maxAttempts` processes died. A younger process does other work
 * first, so that a job that crashes every process does not block it.
 */
const provenAgeMs = 30_000;

/** Attempts after which a row becomes `dead` because processes of that age died during the job, too. */
const deathsMax = 2 * maxAttempts;

/** Delay of a tenant's jobs while the tenant is being moved. */
const moveDelayMs = 2_000;

/** A job row that this process holds under a lease. */
export interface Claim extends JobName {
  readonly leaseOwner: string;
  /** Attempts in a row including this one. A job with `outlastsCrashes` starts a new count after its process died. */
  readonly attempts: number;
  /** True if the process that ran the row before died, or stalled until its lease ended. */
  readonly followsDeath: boolean;
}

interface ClaimRequest {
  readonly kinds: readonly string[];
  /** The kinds among `kinds` that never become `dead` because their process died. */
  readonly outlastingKinds?: ReadonlySet<string>;
  /** The kinds among `kinds` of platform jobs: their subject is not a tenant. */
  readonly platformKinds?: ReadonlySet<string>;
  readonly limit: number;
  readonly now: Timestamp;
  readonly leaseEndsAt: Timestamp;
  /** How long this process has run. Negative if the clock was set back. */
  readonly processAgeMs: number;
}

interface Claimed {
  readonly claims: readonly Claim[];
  /** Rows that became `dead` because the process that ran them died too often. */
  readonly dead: readonly JobName[];
  /** False if more rows may be due. */
  readonly isAll: boolean;
}

/**
 * Claims up to `limit` due rows under a lease. Rows of inactive tenants are parked, so that they do not delay other
 * rows; the sweep makes them due again. Rows of tenants that are being moved are postponed by 2 s. Rows during which
 * `maxAttempts` processes died are claimed only by a process that is 30 s old: processes that are killed soon after their
 * start prove nothing about a job.
 */
export async function claimDue(platform: PlatformDb, request: ClaimRequest): Promise<Claimed> {
  const { limit, now, platformKinds } = request;
  const isOfTenant = ({ kind }: JobName) => !platformKinds?.has(kind);
  const leaseOwner = newId();
  return await platform.transaction(async (tx) => {
    const rows = await lockDueJobs(tx, dueOf(request), limit);
    const active = await findActiveTenants(tx, [...new Set(rows.filter(isOfTenant).map((row) => row.subject_id))]);
    const claims: Claim[] = [];
    const dead: JobName[] = [];
    for (const row of rows) {
      const pausedUntil = isOfTenant(row) ? active.get(row.subject_id) : null;
      const changes = changesFor(row, pausedUntil, leaseOwner, request);
      await updateJobRow(tx, row, { ...changes, wake_at: null, updated_at: now });
      if (changes.status === 'dead') dead.push(row);
      if (changes.status === 'running') {
        const attempts = hasOutlasted(row, request) ? 1 : row.attempts + 1;
        const { subject_id, kind } = row;
        claims.push({ subject_id, kind, leaseOwner, attempts, followsDeath: row.status === 'running' });
      }
    }
    return { claims, dead, isAll: rows.length < limit };
  });
}

/** Returns which rows this process may claim. */
export function dueOf({ kinds, now, processAgeMs }: Pick<ClaimRequest, 'kinds' | 'now' | 'processAgeMs'>): Due {
  const isProven = processAgeMs < 0 || processAgeMs >= provenAgeMs;
  return { kinds, now, lapsed: { kinds: isProven ? [] : kinds, attempts: maxAttempts } };
}

/** Returns true if the process that ran this row died and the row does not become `dead` for that reason. */
function hasOutlasted({ kind, status }: JobsTable, { outlastingKinds }: ClaimRequest): boolean {
  return status === 'running' && outlastingKinds?.has(kind) === true;
}

/**
 * Returns the new state of a due row. `pausedUntil` is when the tenant accepts changes again, null if it accepts them
 * now, and undefined if the tenant is not active.
 */
function changesFor(
  row: JobsTable,
  pausedUntil: Timestamp | null | undefined,
  leaseOwner: string,
  request: ClaimRequest,
): Partial<JobsTable> {
  const { leaseEndsAt, now } = request;
  const released = { due_at: null, lease_owner: null };
  if (pausedUntil === undefined) return { ...released, status: 'parked' };
  if (pausedUntil !== null && pausedUntil > now) {
    return { ...released, status: 'waiting', due_at: toTimestamp(toEpochMs(now) + moveDelayMs) };
  }
  if (row.status === 'running' && row.attempts >= deathsMax && !hasOutlasted(row, request)) {
    const last_error = `The process that ran this job died ${row.attempts} times in a row.`;
    return { ...released, status: 'dead', last_error };
  }
  return { status: 'running', due_at: leaseEndsAt, lease_owner: leaseOwner, attempts: row.attempts + 1 };
}

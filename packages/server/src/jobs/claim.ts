import type { PlatformDb } from '../db/database.ts';
import type { JobsTable } from '../db/tables/platform/jobs.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { findActiveTenants, type JobName, lockDueJobs, updateJobRow } from './queries.ts';

/** Attempts after which a row becomes `dead`. A failed run counts, and so does a run whose process died. */
export const maxAttempts = 8;

/** Delay before a job with `outlastsCrashes` runs again after its process has crashed `maxAttempts` times. */
const crashDelayMs = 10 * 60_000;

/** Delay of a tenant's jobs while the tenant is being moved. */
const moveDelayMs = 2_000;

/** A job row that this process holds under a lease. */
export interface Claim extends JobName {
  readonly leaseOwner: string;
  readonly attempts: number;
}

interface ClaimRequest {
  readonly kinds: readonly string[];
  /** The kinds among `kinds` that never become `dead` because their process died. */
  readonly outlastingKinds?: ReadonlySet<string>;
  /** The kinds among `kinds` whose subject is not a tenant. */
  readonly platformKinds?: ReadonlySet<string>;
  readonly limit: number;
  readonly now: Timestamp;
  readonly leaseEndsAt: Timestamp;
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
 * rows; the sweep makes them due again. Rows of tenants that are being moved are postponed by 2 s.
 */
export async function claimDue(platform: PlatformDb, request: ClaimRequest): Promise<Claimed> {
  const { kinds, limit, now, platformKinds } = request;
  const isOfTenant = ({ kind }: JobName) => !platformKinds?.has(kind);
  const leaseOwner = newId();
  return await platform.transaction(async (tx) => {
    const rows = await lockDueJobs(tx, kinds, now, limit);
    const active = await findActiveTenants(tx, [...new Set(rows.filter(isOfTenant).map((row) => row.subject_id))]);
    const claims: Claim[] = [];
    const dead: JobName[] = [];
    for (const row of rows) {
      const pausedUntil = isOfTenant(row) ? active.get(row.subject_id) : null;
      const changes = changesFor(row, pausedUntil, leaseOwner, request);
      await updateJobRow(tx, row, { ...changes, wake_at: null, updated_at: now });
      if (changes.status === 'dead') dead.push(row);
      if (changes.status === 'running') {
        claims.push({ subject_id: row.subject_id, kind: row.kind, leaseOwner, attempts: row.attempts + 1 });
      }
    }
    return { claims, dead, isAll: rows.length < limit };
  });
}

/**
 * Returns the new state of a due row. `pausedUntil` is when the tenant accepts changes again, null if it accepts them
 * now, and undefined if the tenant is not active.
 */
function changesFor(
  row: JobsTable,
  pausedUntil: Timestamp | null | undefined,
  leaseOwner: string,
  { leaseEndsAt, now, outlastingKinds }: ClaimRequest,
): Partial<JobsTable> {
  const released = { due_at: null, lease_owner: null };
  if (pausedUntil === undefined) return { ...released, status: 'parked' };
  if (pausedUntil !== null && pausedUntil > now) {
    return { ...released, status: 'waiting', due_at: toTimestamp(toEpochMs(now) + moveDelayMs) };
  }
  if (row.status === 'running' && row.attempts >= maxAttempts) {
    const last_error = `The process that ran this job died ${row.attempts} times in a row.`;
    if (!outlastingKinds?.has(row.kind)) return { ...released, status: 'dead', last_error };
    return { ...released, status: 'waiting', due_at: toTimestamp(toEpochMs(now) + crashDelayMs), last_error };
  }
  return { status: 'running', due_at: leaseEndsAt, lease_owner: leaseOwner, attempts: row.attempts + 1 };
}

import type { PlatformDb } from '../db/database.ts';
import type { JobsTable } from '../db/tables/platform/jobs.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { findActiveTenants, type JobName, lockDueJobs, updateJobRow } from './queries.ts';

/** How often a run may fail, or end with its process, before the row is dead. */
export const maxAttempts = 8;

/** How long work that outlasts crashes rests after so many of them. */
const restMs = 10 * 60_000;

/** How long the work of a tenant rests that is being moved. */
const pauseMs = 2_000;

/** A row that this process has taken. */
export interface Claim extends JobName {
  readonly leaseOwner: string;
  readonly attempts: number;
}

interface ClaimRequest {
  readonly kinds: readonly string[];
  /** Those of the kinds that are never given up because a process ended. */
  readonly outlastingKinds?: ReadonlySet<string>;
  /** Those of the kinds that are about no tenant. */
  readonly platformKinds?: ReadonlySet<string>;
  readonly limit: number;
  readonly now: Timestamp;
  readonly leaseEndsAt: Timestamp;
}

interface Claimed {
  readonly claims: readonly Claim[];
  /** Rows that are dead now: the process that ran them ended too often. */
  readonly buried: readonly JobName[];
  /** False when further rows may be due. */
  readonly isAll: boolean;
}

/**
 * Takes due rows under a lease. Rows of tenants that are not active are parked, so that they stand in nobody's way;
 * the sweep wakes them. Those of tenants that are being moved wait for two seconds.
 */
export async function claimDue(platform: PlatformDb, request: ClaimRequest): Promise<Claimed> {
  const { kinds, limit, now, platformKinds } = request;
  const isOfTenant = ({ kind }: JobName) => !platformKinds?.has(kind);
  const leaseOwner = newId();
  return await platform.transaction(async (tx) => {
    const rows = await lockDueJobs(tx, kinds, now, limit);
    const active = await findActiveTenants(tx, [...new Set(rows.filter(isOfTenant).map((row) => row.subject_id))]);
    const claims: Claim[] = [];
    const buried: JobName[] = [];
    for (const row of rows) {
      const pausedUntil = isOfTenant(row) ? active.get(row.subject_id) : null;
      const changes = changesFor(row, pausedUntil, leaseOwner, request);
      await updateJobRow(tx, row, { ...changes, wake_at: null, updated_at: now });
      if (changes.status === 'dead') buried.push(row);
      if (changes.status === 'running') {
        claims.push({ subject_id: row.subject_id, kind: row.kind, leaseOwner, attempts: row.attempts + 1 });
      }
    }
    return { claims, buried, isAll: rows.length < limit };
  });
}

/** What becomes of a due row, whose tenant takes no changes until `pausedUntil`; undefined: it is not active. */
function changesFor(
  row: JobsTable,
  pausedUntil: Timestamp | null | undefined,
  leaseOwner: string,
  { leaseEndsAt, now, outlastingKinds }: ClaimRequest,
): Partial<JobsTable> {
  const aside = { due_at: null, lease_owner: null };
  if (pausedUntil === undefined) return { ...aside, status: 'parked' };
  if (pausedUntil !== null && pausedUntil > now) {
    return { ...aside, status: 'waiting', due_at: toTimestamp(toEpochMs(now) + pauseMs) };
  }
  if (row.status === 'running' && row.attempts >= maxAttempts) {
    const last_error = `The process that ran it ended ${row.attempts} times in a row.`;
    if (!outlastingKinds?.has(row.kind)) return { ...aside, status: 'dead', last_error };
    return { ...aside, status: 'waiting', due_at: toTimestamp(toEpochMs(now) + restMs), last_error };
  }
  return { status: 'running', due_at: leaseEndsAt, lease_owner: leaseOwner, attempts: row.attempts + 1 };
}

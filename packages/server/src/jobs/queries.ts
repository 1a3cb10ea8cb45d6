import { type Kysely, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import { forUpdate, forUpdateSkipLocked } from '../db/dialect.ts';
import type { JobsTable } from '../db/tables/platform/background.ts';
import type { PlatformTables } from '../db/tables/platform-tables.ts';
import { batchesOf } from '../lib/batches.ts';
import type { Timestamp } from '../lib/clock.ts';
import { earlierOf } from './job.ts';

export type JobName = Pick<JobsTable, 'subject_id' | 'kind'>;

function rowOf(db: Kysely<PlatformTables>, name: JobName) {
  return db.updateTable('jobs').where('subject_id', '=', name.subject_id).where('kind', '=', name.kind);
}

/** The due rows that a process may claim. */
export interface Due {
  readonly kinds: readonly string[];
  readonly now: Timestamp;
  /** Excluded rows: of these kinds, with an ended lease and at least so many attempts. */
  readonly lapsed: { readonly kinds: readonly string[]; readonly attempts: number };
}

function dueRows(db: Kysely<PlatformTables>, { kinds, now, lapsed }: Due) {
  const due = db.selectFrom('jobs').where('due_at', '<=', now).where('kind', 'in', kinds).orderBy('due_at');
  if (lapsed.kinds.length === 0) return due;
  return due.where((eb) =>
    eb.or([eb('status', '!=', 'running'), eb('attempts', '<', lapsed.attempts), eb('kind', 'not in', lapsed.kinds)]),
  );
}

/** Returns true if such a row is due. Takes no lock and writes nothing. */
export async function isAnyDue(platform: PlatformDb, due: Due): Promise<boolean> {
  if (due.kinds.length === 0) return false;
  return (await dueRows(platform.query, due).select('due_at').limit(1).executeTakeFirst()) !== undefined;
}

/** Locks due rows, the longest due first. Skips rows that another process has locked. */
export function lockDueJobs(tx: PlatformTransaction, due: Due, limit: number): Promise<JobsTable[]> {
  return forUpdateSkipLocked(tx, dueRows(tx, due).selectAll().limit(limit)).execute();
}

/** Returns the active ones among the tenants, each with the time until which its writes are paused, or null. */
export async function findActiveTenants(
  tx: PlatformTransaction,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, Timestamp | null>> {
  if (tenantIds.length === 0) return new Map();
  const query = tx
    .selectFrom('tenants')
    .select(['id', 'writes_paused_until'])
    .where('status', '=', 'active')
    .where('id', 'in', tenantIds);
  return new Map((await query.execute()).map((row) => [row.id, row.writes_paused_until]));
}

/** Updates a row without checking its lease. The caller must have locked the row. */
export async function updateJobRow(tx: PlatformTransaction, name: JobName, changes: Partial<JobsTable>): Promise<void> {
  await rowOf(tx, name).set(changes).execute();
}

/** Extends a lease. Returns false if another process has claimed the row since. */
export async function renewLease(
  platform: PlatformDb,
  name: JobName,
  leaseOwner: string,
  leaseEndsAt: Timestamp,
): Promise<boolean> {
  const renewal = rowOf(platform.query, name).set({ due_at: leaseEndsAt }).where('lease_owner', '=', leaseOwner);
  return (await renewal.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Resets the earlier attempts of a running row. Changes nothing if another process has claimed the row since. */
export async function resetEarlierAttempts(platform: PlatformDb, name: JobName, leaseOwner: string): Promise<void> {
  await rowOf(platform.query, name).set({ attempts: 1 }).where('lease_owner', '=', leaseOwner).execute();
}

/**
 * Releases a running row with `changes`. It is due at the earlier of `changes.due_at` and the wake-ups that arrived
 * during the run. Returns false, and changes nothing, if another process has claimed the row since.
 */
export async function giveBack(
  platform: PlatformDb,
  name: JobName,
  leaseOwner: string,
  changes: Partial<JobsTable> & Pick<JobsTable, 'status' | 'due_at'>,
): Promise<boolean> {
  return await platform.transaction(async (tx) => {
    const held = tx
      .selectFrom('jobs')
      .select('wake_at')
      .where('subject_id', '=', name.subject_id)
      .where('kind', '=', name.kind)
      .where('lease_owner', '=', leaseOwner);
    const row = await forUpdate(tx, held).executeTakeFirst();
    if (row === undefined) return false;
    // Wake-ups do not shorten the wait after a failed run. The retry reads all due work anyway.
    const heedsWakeUps = changes.status === 'waiting' && !changes.last_error;
    const due_at = heedsWakeUps ? earlierOf(changes.due_at, row.wake_at) : changes.due_at;
    await updateJobRow(tx, name, { ...changes, due_at, wake_at: null, lease_owner: null });
    return true;
  });
}

/**
 * Deletes a running row after its work is complete. Returns false if another process has claimed the row since, or if a
 * wake-up for more work has arrived.
 */
export async function removeFinished(platform: PlatformDb, name: JobName, leaseOwner: string): Promise<boolean> {
  const removal = platform.query
    .deleteFrom('jobs')
    .where('subject_id', '=', name.subject_id)
    .where('kind', '=', name.kind)
    .where('lease_owner', '=', leaseOwner)
    .where('wake_at', 'is', null);
  return (await removal.executeTakeFirst()).numDeletedRows > 0n;
}

/** A time at which a subject has work of one kind. */
export interface WakeUp {
  /** Id of the tenant, or of the row that a platform job of this kind processes. */
  readonly subjectId: string;
  readonly kind: string;
  readonly dueAt: Timestamp;
}

const wakeUpsPerRead = 500;

/** Returns the existing rows of the subjects that wake-ups name. */
async function findRows(platform: PlatformDb, wakeUps: readonly WakeUp[]): Promise<JobsTable[]> {
  const rows: JobsTable[] = [];
  for (const batch of batchesOf(wakeUps, wakeUpsPerRead)) {
    const subjectIds = batch.map((wakeUp) => wakeUp.subjectId);
    const found = platform.query.selectFrom('jobs').selectAll().where('subject_id', 'in', subjectIds);
    rows.push(...(await found.execute()));
  }
  return rows;
}

/**
 * Returns true if the row already causes a run for the wake-up. Another process may claim the row right after this
 * read: its run starts after the commit of the change that caused the wake-up, and therefore sees that change.
 */
function covers(row: JobsTable | undefined, { dueAt }: WakeUp): boolean {
  if (row === undefined) return false;
  if (row.status === 'running') return row.wake_at !== null && row.wake_at <= dueAt;
  if (row.status === 'waiting' && row.attempts === 0) return row.due_at !== null && row.due_at <= dueAt;
  return true;
}

/**
 * Moves the due times of rows forward to the times of the wake-ups and inserts missing rows. Most wake-ups cost one
 * read and no write.
 */
export async function writeWakeUps(platform: PlatformDb, wakeUps: readonly WakeUp[], at: Timestamp): Promise<void> {
  const keyOf = (kind: string, subjectId: string) => `${kind} ${subjectId}`;
  const rows = await findRows(platform, wakeUps);
  const known = new Map(rows.map((row) => [keyOf(row.kind, row.subject_id), row]));
  const missing = wakeUps
    .filter((wakeUp) => !covers(known.get(keyOf(wakeUp.kind, wakeUp.subjectId)), wakeUp))
    // A fixed order, so that two nodes that write wake-ups for the same subjects lock the rows in the same order.
    .sort((left, right) => (keyOf(left.subjectId, left.kind) < keyOf(right.subjectId, right.kind) ? -1 : 1));
  if (missing.length === 0) return;
  await platform.transaction(async (tx) => {
    for (const wakeUp of missing) await enqueueJob(tx, wakeUp, at);
  });
}

function newRow(wakeUp: WakeUp, at: Timestamp): JobsTable {
  return {
    subject_id: wakeUp.subjectId,
    kind: wakeUp.kind,
    status: 'waiting',
    due_at: wakeUp.dueAt,
    wake_at: null,
    lease_owner: null,
    attempts: 0,
    last_error: null,
    updated_at: at,
  };
}

/**
 * Records in the caller's transaction that a subject has work, due at the wake-up's time or earlier. Platform jobs use
 * it, so that the work and the change that creates it are committed together. The caller must call `wakeUps.wakeRunner`
 * after the commit.
 */
export async function enqueueJob(tx: PlatformTransaction, wakeUp: WakeUp, at: Timestamp): Promise<void> {
  const woken = sql<Timestamp>`excluded.due_at`;
  await tx
    .insertInto('jobs')
    .values(newRow(wakeUp, at))
    .onConflict((conflict) =>
      conflict.columns(['subject_id', 'kind']).doUpdateSet({
        due_at: sql<Timestamp | null>`case
          when jobs.status = 'waiting' and jobs.attempts = 0
            and (jobs.due_at is null or jobs.due_at > ${woken})
          then ${woken} else jobs.due_at end`,
        wake_at: sql<Timestamp | null>`case
          when jobs.status = 'running' and (jobs.wake_at is null or jobs.wake_at > ${woken})
          then ${woken} else jobs.wake_at end`,
        updated_at: at,
      }),
    )
    .execute();
}

/**
 * Sets due_at unconditionally, even to a later time; inserts the row if it is missing. A running row becomes due again
 * at that time. Only for kinds that are never urgent.
 */
export async function postponeRow(platform: PlatformDb, wakeUp: WakeUp, at: Timestamp): Promise<void> {
  const woken = sql<Timestamp>`excluded.due_at`;
  await platform.query
    .insertInto('jobs')
    .values(newRow(wakeUp, at))
    .onConflict((conflict) =>
      conflict.columns(['subject_id', 'kind']).doUpdateSet({
        due_at: sql<Timestamp | null>`case when jobs.status = 'waiting' and jobs.attempts = 0
          then ${woken} else jobs.due_at end`,
        wake_at: sql<Timestamp | null>`case when jobs.status = 'running'
          then ${woken} else jobs.wake_at end`,
        updated_at: at,
      }),
    )
    .execute();
}

/** A statement of SQLite has at most 32,766 parameters, and a row has nine. */
const rowsPerInsertion = 1000;

/** Inserts the rows that do not exist yet. */
export async function insertMissing(platform: PlatformDb, wakeUps: readonly WakeUp[], at: Timestamp): Promise<void> {
  for (const batch of batchesOf(wakeUps, rowsPerInsertion)) {
    await platform.query
      .insertInto('jobs')
      .values(batch.map((wakeUp) => newRow(wakeUp, at)))
      .onConflict((conflict) => conflict.columns(['subject_id', 'kind']).doNothing())
      .execute();
  }
}

/**
 * Returns the next `limit` active tenants after the id `after`, in the order of ids, each with the kinds of its rows.
 */
export async function listTenantKinds(
  platform: PlatformDb,
  after: string,
  limit: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tenants = await platform.query
    .selectFrom('tenants')
    .select('id')
    // A negated condition keeps SQLite from using the index by status, which holds nearly every tenant, and sorting.
    .where((eb) => eb.not(eb('status', '!=', 'active')))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  const kinds = new Map(tenants.map(({ id }) => [id, new Set<string>()]));
  const last = tenants.at(-1)?.id;
  if (last === undefined) return kinds;
  const rows = platform.query
    .selectFrom('jobs')
    .select(['subject_id', 'kind'])
    // A range of ids: for a list of hundreds of ids PostgreSQL scans the whole table. Few tenants in it are inactive.
    .where('subject_id', '>', after)
    .where('subject_id', '<=', last);
  for (const { subject_id, kind } of await rows.execute()) kinds.get(subject_id)?.add(kind);
  return kinds;
}

/** Makes the parked rows of a tenant due, in the transaction that makes the tenant active. */
export async function unparkJobsOf(tx: PlatformTransaction, tenantId: string, at: Timestamp): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ status: 'waiting', due_at: at, attempts: 0, updated_at: at })
    .where('subject_id', '=', tenantId)
    .where('status', '=', 'parked')
    .execute();
}

/** Makes the parked rows of active tenants due. */
export async function unparkJobs(platform: PlatformDb, at: Timestamp): Promise<void> {
  await platform.query
    .updateTable('jobs')
    .set({ status: 'waiting', due_at: at, attempts: 0, updated_at: at })
    .where('jobs.status', '=', sql.lit('parked' as const))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('tenants')
          .select('id')
          .whereRef('tenants.id', '=', 'jobs.subject_id')
          .where('tenants.status', '=', 'active'),
      ),
    )
    .execute();
}

interface Implausible {
  /** Kinds that run at least once a day. */
  readonly dailyKinds: readonly string[];
  /** With correct clocks no lease ends and no daily job is due after this time. */
  readonly after: Timestamp;
  readonly at: Timestamp;
  readonly limit: number;
}

/**
 * Makes rows due that a clock running ahead has postponed: daily jobs, and leases that no process will renew. A run
 * that is still active loses its row, as at the end of any lease.
 */
export async function bringForward(platform: PlatformDb, { dailyKinds, after, at, limit }: Implausible): Promise<void> {
  const late = platform.query
    .selectFrom('jobs')
    .select(['subject_id', 'kind', 'status', 'due_at'])
    .where('due_at', '>', after)
    .orderBy('due_at')
    .limit(limit);
  for (const row of await late.execute()) {
    if (row.status !== 'running' && !dailyKinds.includes(row.kind)) continue;
    await rowOf(platform.query, row).set({ due_at: at, updated_at: at }).where('due_at', '=', row.due_at).execute();
  }
}

interface ListJobs {
  readonly status?: JobsTable['status'] | undefined;
  readonly after?: JobName | undefined;
  readonly limit: number;
}

/** Returns one page of job rows, in the order of the subjects' ids. */
export function listJobs(platform: PlatformDb, { status, after, limit }: ListJobs): Promise<JobsTable[]> {
  let query = platform.query.selectFrom('jobs').selectAll();
  if (status !== undefined) query = query.where('status', '=', sql.lit(status));
  if (after !== undefined) {
    query = query.where((eb) =>
      eb.or([
        eb('subject_id', '>', after.subject_id),
        eb.and([eb('subject_id', '=', after.subject_id), eb('kind', '>', after.kind)]),
      ]),
    );
  }
  return query.orderBy('subject_id').orderBy('kind').limit(limit).execute();
}

/** Returns the row of a job. */
export function findJob(platform: PlatformDb, { subject_id, kind }: JobName): Promise<JobsTable | undefined> {
  const row = platform.query.selectFrom('jobs').selectAll().where('subject_id', '=', subject_id);
  return row.where('kind', '=', kind).executeTakeFirst();
}

interface ListDeadJobs {
  readonly subjectId?: string | undefined;
  readonly kind?: string | undefined;
  /** The position of the last row of the previous page. */
  readonly after?: readonly [updatedAt: string, subjectId: string, kind: string] | undefined;
  readonly limit: number;
}

/** Returns dead rows, the latest first. */
export function listDeadJobs(
  platform: PlatformDb,
  { subjectId, kind, after, limit }: ListDeadJobs,
): Promise<JobsTable[]> {
  let query = platform.query
    .selectFrom('jobs')
    .selectAll()
    .where('status', '=', sql.lit('dead' as const));
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (after !== undefined) {
    query = query.where(sql<boolean>`(updated_at, subject_id, kind) < (${sql.join(after)})`);
  }
  const ordered = query.orderBy('updated_at', 'desc').orderBy('subject_id', 'desc').orderBy('kind', 'desc');
  return ordered.limit(limit).execute();
}

/**
 * Makes a dead row due now and resets its attempts; `record` runs in the same transaction. Returns the previous status
 * of the row, or undefined if there is no row.
 */
export async function reviveJob(
  platform: PlatformDb,
  name: JobName,
  at: Timestamp,
  record?: (tx: PlatformTransaction) => Promise<void>,
): Promise<JobsTable['status'] | undefined> {
  return await platform.transaction(async (tx) => {
    const query = tx.selectFrom('jobs').select('status').where('subject_id', '=', name.subject_id);
    const row = await forUpdate(tx, query.where('kind', '=', name.kind)).executeTakeFirst();
    if (row?.status !== 'dead') return row?.status;
    await updateJobRow(tx, name, { status: 'waiting', due_at: at, attempts: 0, last_error: null, updated_at: at });
    await record?.(tx);
    return row.status;
  });
}

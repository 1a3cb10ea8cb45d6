import { type Kysely, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import { forUpdate, forUpdateSkipLocked } from '../db/dialect.ts';
import type { JobsTable } from '../db/tables/platform/jobs.ts';
import type { PlatformTables } from '../db/tables/platform-tables.ts';
import type { Timestamp } from '../lib/clock.ts';
import { earlierOf } from './job.ts';

export type JobName = Pick<JobsTable, 'subject_id' | 'kind'>;

function rowOf(db: Kysely<PlatformTables>, name: JobName) {
  return db.updateTable('jobs').where('subject_id', '=', name.subject_id).where('kind', '=', name.kind);
}

/** What waits: the moment at which the oldest row was or is due, and how many rows are dead. */
export interface Backlog {
  readonly oldestDueAt: Timestamp | null;
  readonly deadCount: number;
}

/** Two reads of the edge of an index. */
export async function readBacklog(platform: PlatformDb): Promise<Backlog> {
  const [oldest, dead] = await Promise.all([
    platform.query
      .selectFrom('jobs')
      .select('due_at')
      .where('due_at', 'is not', null)
      .orderBy('due_at')
      .limit(1)
      .executeTakeFirst(),
    platform.query
      .selectFrom('jobs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('status', '=', sql.lit('dead' as const))
      .executeTakeFirstOrThrow(),
  ]);
  return { oldestDueAt: oldest?.due_at ?? null, deadCount: dead.count };
}

/** What is due of one kind and nobody has taken: of how many subjects, and since when. */
export interface DueWork {
  readonly kind: string;
  readonly count: number;
  readonly oldestDueAt: Timestamp;
}

/** The index is read as far as work is due, up to this. */
const dueCountedMost = 10_000;

/** What is due at `now`, by kind. */
export async function countDue(platform: PlatformDb, now: Timestamp): Promise<DueWork[]> {
  const due = platform.query
    .selectFrom('jobs')
    .select(['kind', 'due_at', 'status'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(dueCountedMost);
  const rows = await platform.query
    .selectFrom(due.as('due'))
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count'), fn.min<Timestamp>('due_at').as('oldest')])
    .where('status', '=', 'waiting')
    .groupBy('kind')
    .execute();
  return rows.map(({ kind, count, oldest }) => ({ kind, count: Number(count), oldestDueAt: oldest }));
}

/** Locks due rows of these kinds, the longest due first; those that another process has in hand are passed over. */
export function lockDueJobs(
  tx: PlatformTransaction,
  kinds: readonly string[],
  now: Timestamp,
  limit: number,
): Promise<JobsTable[]> {
  const due = tx
    .selectFrom('jobs')
    .selectAll()
    .where('due_at', '<=', now)
    .where('kind', 'in', kinds)
    .orderBy('due_at')
    .limit(limit);
  return forUpdateSkipLocked(tx, due).execute();
}

/** Those of the tenants that are active, each with the moment until which nothing may be written to it. */
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

/** Changes a row whatever holds it; the caller has locked it. */
export async function updateJobRow(tx: PlatformTransaction, name: JobName, changes: Partial<JobsTable>): Promise<void> {
  await rowOf(tx, name).set(changes).execute();
}

/** Puts the end of a lease off. False when another has taken the row since. */
export async function renewLease(
  platform: PlatformDb,
  name: JobName,
  leaseOwner: string,
  leaseEndsAt: Timestamp,
): Promise<boolean> {
  const renewal = rowOf(platform.query, name).set({ due_at: leaseEndsAt }).where('lease_owner', '=', leaseOwner);
  return (await renewal.executeTakeFirst()).numUpdatedRows > 0n;
}

/**
 * Gives a running row back with `changes`, due when they say or when a wakeUp that came during the run says, whichever
 * is earlier. False when another has taken the row since: then nothing is changed.
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
    // A failed run is tried again after its wait, however often somebody wakeUps meanwhile: it reads everything then.
    const heedsWakeUps = changes.status === 'waiting' && !changes.last_error;
    const due_at = heedsWakeUps ? earlierOf(changes.due_at, row.wake_at) : changes.due_at;
    await updateJobRow(tx, name, { ...changes, due_at, wake_at: null, lease_owner: null });
    return true;
  });
}

/** Removes a running row whose work is over, unless another has taken it or more work was woken at since. */
export async function removeFinished(platform: PlatformDb, name: JobName, leaseOwner: string): Promise<boolean> {
  const removal = platform.query
    .deleteFrom('jobs')
    .where('subject_id', '=', name.subject_id)
    .where('kind', '=', name.kind)
    .where('lease_owner', '=', leaseOwner)
    .where('wake_at', 'is', null);
  return (await removal.executeTakeFirst()).numDeletedRows > 0n;
}

/** A moment at which a subject has work of a kind. */
export interface WakeUp {
  /** Of the tenant, or of whatever the platform's work of this kind is about. */
  readonly subjectId: string;
  readonly kind: string;
  readonly dueAt: Timestamp;
}

const wakeUpsPerRead = 500;

/** The rows that wakeUps are about, as far as they exist. */
async function findWoken(platform: PlatformDb, wakeUps: readonly WakeUp[]): Promise<JobsTable[]> {
  const rows: JobsTable[] = [];
  for (let start = 0; start < wakeUps.length; start += wakeUpsPerRead) {
    const subjectIds = wakeUps.slice(start, start + wakeUpsPerRead).map((wakeUp) => wakeUp.subjectId);
    const found = platform.query.selectFrom('jobs').selectAll().where('subject_id', 'in', subjectIds);
    rows.push(...(await found.execute()));
  }
  return rows;
}

/**
 * True when a row takes care of a wakeUp already. It may be taken right after it was read: the run that begins then
 * begins after the wakeUp's change was committed, and sees it.
 */
function covers(row: JobsTable | undefined, { dueAt }: WakeUp): boolean {
  if (row === undefined) return false;
  if (row.status === 'running') return row.wake_at !== null && row.wake_at <= dueAt;
  if (row.status === 'waiting' && row.attempts === 0) return row.due_at !== null && row.due_at <= dueAt;
  return true;
}

/** Brings the due times of rows forward to the wakeUps', and makes the rows that are missing. Most wakeUps cost a read. */
export async function writeWakeUps(platform: PlatformDb, wakeUps: readonly WakeUp[], at: Timestamp): Promise<void> {
  const keyOf = (kind: string, subjectId: string) => `${kind} ${subjectId}`;
  const rows = await findWoken(platform, wakeUps);
  const known = new Map(rows.map((row) => [keyOf(row.kind, row.subject_id), row]));
  const missing = wakeUps
    .filter((wakeUp) => !covers(known.get(keyOf(wakeUp.kind, wakeUp.subjectId)), wakeUp))
    // In one order, so that two nodes that wakeUp at the same subjects lock their rows in the same order.
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
 * Writes that a subject has work, due at the wakeUp's moment or earlier, in the caller's transaction: for the platform's
 * own work, which is lost no more than the change that makes it. Call `wakeUps.wakeRunner` after the commit.
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
 * Makes a row due at the wakeUp's moment, later than it was or not; one that runs is due again then. Only for kinds whose
 * rows are never urgent.
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

/** Makes rows that nobody has made meanwhile. */
export async function insertMissing(platform: PlatformDb, wakeUps: readonly WakeUp[], at: Timestamp): Promise<void> {
  if (wakeUps.length === 0) return;
  await platform.query
    .insertInto('jobs')
    .values(wakeUps.map((wakeUp) => newRow(wakeUp, at)))
    .onConflict((conflict) => conflict.columns(['subject_id', 'kind']).doNothing())
    .execute();
}

/** The active tenants that follow `after` in the order of ids, each with the kinds of rows that it has. */
export async function listTenantKinds(
  platform: PlatformDb,
  after: string,
  limit: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tenants = await platform.query
    .selectFrom('tenants')
    .select('id')
    // In words for which SQLite does not prefer the index by status, with nearly every tenant in it, and sort them.
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
    // A range costs less than hundreds of ids, for which PostgreSQL reads the whole table. Few in it are not active.
    .where('subject_id', '>', after)
    .where('subject_id', '<=', last);
  for (const { subject_id, kind } of await rows.execute()) kinds.get(subject_id)?.add(kind);
  return kinds;
}

/** Makes what was parked due again, where the tenant is active. */
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
  /** Kinds that run once a day at least. */
  readonly dailyKinds: readonly string[];
  /** No lease ends and no daily work is due later, as long as clocks are right. */
  readonly after: Timestamp;
  readonly at: Timestamp;
  readonly limit: number;
}

/**
 * Makes due what a clock put off that was ahead: daily work, and leases that nobody will renew. A run that is alive
 * loses its row by it, as with any lease that ends.
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

/** A page of the rows, in the order of their subjects' ids. */
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

/** Makes a dead row due now, as if it had never failed. Answers the state it was in; undefined when there is no row. */
export async function reviveJob(
  platform: PlatformDb,
  name: JobName,
  at: Timestamp,
): Promise<JobsTable['status'] | undefined> {
  return await platform.transaction(async (tx) => {
    const query = tx.selectFrom('jobs').select('status').where('subject_id', '=', name.subject_id);
    const row = await forUpdate(tx, query.where('kind', '=', name.kind)).executeTakeFirst();
    if (row?.status !== 'dead') return row?.status;
    await updateJobRow(tx, name, { status: 'waiting', due_at: at, attempts: 0, last_error: null, updated_at: at });
    return row.status;
  });
}

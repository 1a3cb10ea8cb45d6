import { type Expression, expressionBuilder, type NotNull, type SqlBool, sql } from 'kysely';
import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import { type Filter, planListFilters } from '../../../db/search/list-filter-plan.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import type { ActivationStatus, DetailedActivation } from './activation.ts';
import type { ActivationsQuery } from './schemas.ts';
import { searchFilter } from './search-queries.ts';

const eb = expressionBuilder<TenantTables, 'activations'>();

const isHeld = eb('activations.released_at', 'is', null);

/**
 * Returns the condition for activations that hold a seat at `now`. `not` keeps SQLite from using the index on the lease
 * end, which would collect every running lease; it scans the list in order instead.
 */
function isActive(now: Timestamp): Expression<SqlBool> {
  const isEndless = eb('activations.lease_expires_at', 'is', null);
  return eb.and([isHeld, eb.or([isEndless, eb.not(eb('activations.lease_expires_at', '<=', now))])]);
}

// SQLite uses a partial index only when the condition is written exactly as in the index.
const isClosed = sql<SqlBool>`release_reason = 'lease_expired'`;
const isDeactivated = sql<SqlBool>`release_reason in ('deactivated', 'license_deleted')`;

/** Activations whose lease has expired and that the lease job has not closed yet. */
function endedLeases(db: TenantDb, now: Timestamp): Filter {
  const hasEnded = eb('activations.lease_expires_at', '<=', now);
  const places = db.query
    .selectFrom('activations')
    .select(['activations.created_at', 'activations.id'])
    .where(isHeld)
    .where('activations.lease_expires_at', 'is not', null)
    .where(hasEnded)
    .orderBy('activations.lease_expires_at');
  return {
    condition: eb.and([isHeld, eb.not(eb('activations.lease_expires_at', '>', now))]),
    candidates: (limit) => places.limit(limit),
  };
}

/** Returns the SQL condition that is equivalent to `activationStatus`. */
function hasStatus(status: ActivationStatus, now: Timestamp): Expression<SqlBool> {
  if (status === 'active') return isActive(now);
  if (status === 'deactivated') return isDeactivated;
  return eb.or([isClosed, eb.and([isHeld, eb('activations.lease_expires_at', '<=', now)])]);
}

/** Returns one page, and one further row that `toPage` removes, of the activations that match every filter. */
export async function listActivations(
  db: TenantDb,
  filters: ActivationsQuery,
  now: Timestamp,
): Promise<DetailedActivation[]> {
  return await withLicenses(db, await listRows(db, filters, now));
}

async function listRows(db: TenantDb, filters: ActivationsQuery, now: Timestamp): Promise<ActivationsTable[]> {
  const { status, q } = filters;
  const isSelective = filters.license_id !== undefined || filters.fingerprint !== undefined;
  if (status === 'expired' && !isSelective && q === undefined) return await listExpired(db, filters, now);
  const search = q === undefined ? [] : [await searchFilter(db.query, q)];
  const planned = isSelective ? search.map(({ condition }) => ({ condition })) : search;
  const { query: found, timeColumn, isGathered } = await planListFilters(db.query, 'activations', planned);
  let query = found;
  const { license_id: licenseId, fingerprint } = filters;
  if (licenseId !== undefined) query = query.where('activations.license_id', '=', licenseId);
  if (fingerprint !== undefined) query = query.where('activations.fingerprint', '=', storedFingerprint(fingerprint));
  if (status !== undefined) query = query.where(hasStatus(status, now));
  if (!isGathered) return await paginate(query.selectAll('activations'), filters, timeColumn).execute();
  const ids = paginate(query.select('activations.id'), filters, timeColumn);
  const rows = db.query.selectFrom('activations').selectAll().where('id', 'in', ids);
  return await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

/** Adds the licenses of a page. They exist: a deleted license keeps its row. */
async function withLicenses(db: TenantDb, rows: readonly ActivationsTable[]): Promise<DetailedActivation[]> {
  if (rows.length === 0) return [];
  const licenses = await db.query
    .selectFrom('licenses')
    .select(['id', 'key', 'holder_name', 'holder_email', 'holder_reference'])
    .where('id', 'in', [...new Set(rows.map((row) => row.license_id))])
    .execute();
  const byId = new Map(licenses.map(({ id, key, ...holder }) => [id, { ...holder, license_key: key }]));
  return rows.flatMap((row) => {
    const license = byId.get(row.license_id);
    return license === undefined ? [] : [{ ...row, ...license }];
  });
}

/** Merges one page of the closed and one of the unclosed expired activations, because each kind has its own index. */
async function listExpired(db: TenantDb, page: PageRequest, now: Timestamp): Promise<ActivationsTable[]> {
  const closed = db.query.selectFrom('activations').select('activations.id').where(isClosed);
  const ended = await planListFilters(db.query, 'activations', [endedLeases(db, now)]);
  const ids = db.query
    .selectFrom(paginate(closed, page).as('closed'))
    .select('closed.id')
    .unionAll(
      db.query
        .selectFrom(paginate(ended.query.select('activations.id'), page, ended.timeColumn).as('ended'))
        .select('ended.id'),
    );
  return await paginate(db.query.selectFrom('activations').selectAll().where('id', 'in', ids), page).execute();
}

/**
 * Returns one page, and one further row that `toPage` removes, of the activations of a license that hold a seat at `now`.
 * Reads only held ones, because a floating license can have far more that were released.
 */
export function listHeldSeats(
  db: TenantDb,
  licenseId: string,
  page: PageRequest,
  now: Timestamp,
): Promise<ActivationsTable[]> {
  const held = db.query.selectFrom('activations').select('id').where('license_id', '=', licenseId).where(isHeld);
  const seats = db.query.selectFrom('activations').selectAll().where('id', 'in', held).where(isActive(now));
  return paginate(seats, page).execute();
}

/** Returns the newest `limit` activations of these licenses that hold a seat at `now`. */
export function listHeldSeatsOf(
  db: TenantDb,
  licenseIds: readonly string[],
  limit: number,
  now: Timestamp,
): Promise<ActivationsTable[]> {
  const held = db.query.selectFrom('activations').select('id').where('license_id', 'in', licenseIds).where(isHeld);
  const seats = db.query.selectFrom('activations').selectAll().where('id', 'in', held).where(isActive(now));
  return paginate(seats, { limit: limit - 1 }).execute();
}

/** Returns the activation with its license, or undefined. */
export async function findActivationDetails(db: TenantDb, id: string): Promise<DetailedActivation | undefined> {
  const row = await findActivation(db.query, id);
  return row === undefined ? undefined : (await withLicenses(db, [row]))[0];
}

/** Returns the activation, or undefined. */
export function findActivation(db: TenantDb['query'], id: string): Promise<ActivationsTable | undefined> {
  return db.selectFrom('activations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the activation of a fingerprint that was not released. Its lease may have expired. */
export function findHeldActivation(
  tx: TenantDb['query'],
  licenseId: string,
  fingerprint: string,
): Promise<ActivationsTable | undefined> {
  return tx
    .selectFrom('activations')
    .selectAll()
    .where('license_id', '=', licenseId)
    .where('fingerprint', '=', fingerprint)
    .where('released_at', 'is', null)
    .executeTakeFirst();
}

/** Returns the active activations of a license at `now` that store components. */
export async function listKnownDevices(
  db: TenantDb['query'],
  licenseId: string,
  now: Timestamp,
): Promise<(Pick<ActivationsTable, 'id' | 'last_heartbeat_at'> & { readonly components_json: string })[]> {
  return await db
    .selectFrom('activations')
    .select(['id', 'last_heartbeat_at', 'components_json'])
    .where('license_id', '=', licenseId)
    .where('components_json', 'is not', null)
    .where(isActive(now))
    .$narrowType<{ components_json: NotNull }>()
    .execute();
}

/** Returns how the policy of a license compares fingerprints. */
export async function findMatching(
  db: TenantDb['query'],
  licenseId: string,
): Promise<PoliciesTable['fingerprint_matching']> {
  const { fingerprint_matching } = await db
    .selectFrom('licenses')
    .innerJoin('policies', 'policies.id', 'licenses.policy_id')
    .select('policies.fingerprint_matching')
    .where('licenses.id', '=', licenseId)
    .executeTakeFirstOrThrow();
  return fingerprint_matching;
}

/** Returns the number of active activations of a license at `now`. */
export async function countActive(tx: TenantTransaction, licenseId: string, now: Timestamp): Promise<number> {
  const { count } = await tx
    .selectFrom('activations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('license_id', '=', licenseId)
    .where(isActive(now))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns true if the license has any activation, active or released. */
export async function hasEverBeenActivated(tx: TenantTransaction, licenseId: string): Promise<boolean> {
  const query = tx.selectFrom('activations').select('id').where('license_id', '=', licenseId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Inserts an activation. */
export async function createActivationRow(tx: TenantTransaction, row: ActivationsTable): Promise<void> {
  await tx.insertInto('activations').values(row).execute();
}

/** Updates the given columns of an activation. */
export async function updateActivationRow(
  tx: TenantTransaction,
  id: string,
  changes: Partial<ActivationsTable>,
): Promise<void> {
  await tx.updateTable('activations').set(changes).where('id', '=', id).execute();
}

/**
 * Renews the lease of an activation that is active at the time of the heartbeat, and returns its row. The caller must
 * have locked the license's row. Arguments: time of the heartbeat, end of the lease, activation id, license id.
 */
export const renewLease: PreparedRead<TenantTables, ActivationsTable> = {
  name: 'renew_lease',
  build: (db, parameter) =>
    db
      .updateTable('activations')
      .set({ last_heartbeat_at: parameter(0), lease_expires_at: parameter(1) })
      .where('id', '=', parameter(2))
      .where('license_id', '=', parameter(3))
      .where('released_at', 'is', null)
      .where(({ eb, or }) => or([eb('lease_expires_at', 'is', null), eb('lease_expires_at', '>', parameter(0))]))
      .returningAll(),
};

/** Returns up to `limit` held activations whose lease ended by `now`, earliest end first; with `ids`, only these. */
export function findEndedLeases(
  tx: TenantTransaction,
  now: Timestamp,
  limit: number,
  ids?: readonly string[],
): Promise<ActivationsTable[]> {
  let query = tx
    .selectFrom('activations')
    .selectAll()
    .where('released_at', 'is', null)
    .where('lease_expires_at', '<=', now);
  if (ids !== undefined) query = query.where('id', 'in', ids);
  return query.orderBy('lease_expires_at').limit(limit).execute();
}

/** Returns the earliest end of a lease that is not closed yet, or null. */
export async function findFirstLeaseEnd(db: TenantDb): Promise<Timestamp | null> {
  const row = await db.query
    .selectFrom('activations')
    .select('lease_expires_at')
    .where('released_at', 'is', null)
    .where('lease_expires_at', 'is not', null)
    .orderBy('lease_expires_at')
    .limit(1)
    .executeTakeFirst();
  return row?.lease_expires_at ?? null;
}

/** Releases every held activation of a license at `at`. Returns their number. */
export async function releaseActivationRows(
  tx: TenantTransaction,
  licenseId: string,
  reason: NonNullable<ActivationsTable['release_reason']>,
  at: Timestamp,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('activations')
    .set({ released_at: at, release_reason: reason })
    .where('license_id', '=', licenseId)
    .where('released_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Sets the end of the leases of every activation that is active at `now`: of one license, or of all licenses of a policy.
 * Null: they never expire.
 */
export async function setActiveLeases(
  tx: TenantTransaction,
  owner: { readonly licenseId: string } | { readonly policyId: string },
  end: Timestamp | null,
  now: Timestamp,
): Promise<void> {
  const active = tx.updateTable('activations').set({ lease_expires_at: end }).where(isActive(now));
  const owned =
    'licenseId' in owner
      ? active.where('license_id', '=', owner.licenseId)
      : active.where(
          'license_id',
          'in',
          tx.selectFrom('licenses').select('id').where('policy_id', '=', owner.policyId),
        );
  await owned.execute();
}

/**
 * Sets the end of each running lease that ends between `now` and `end` to `end`. Stored timestamps sort as text, and a
 * lease that has ended stays ended.
 */
export async function extendRunningLeases(tx: TenantTransaction, now: Timestamp, end: Timestamp): Promise<void> {
  await tx
    .updateTable('activations')
    .set({ lease_expires_at: end })
    .where('released_at', 'is', null)
    .where('lease_expires_at', '>', now)
    .where('lease_expires_at', '<', end)
    .execute();
}

/** Inserts activations. */
export async function createActivationRows(tx: TenantTransaction, rows: readonly ActivationsTable[]): Promise<void> {
  await insertRows(tx, 'activations', rows);
}

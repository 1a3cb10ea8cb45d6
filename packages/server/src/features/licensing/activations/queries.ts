import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { type Filter, filterRows } from '../../../db/search/list-filter-plan.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/activations.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { ActivationStatus } from './activation.ts';
import type { ActivationsQuery } from './schemas.ts';

const eb = expressionBuilder<TenantTables, 'activations'>();

const isHeld = eb('activations.released_at', 'is', null);

/** Holds a seat at `now`. With `not` SQLite walks the list instead of gathering every lease that runs. */
function isActive(now: Timestamp): Expression<SqlBool> {
  const isEndless = eb('activations.lease_expires_at', 'is', null);
  return eb.and([isHeld, eb.or([isEndless, eb.not(eb('activations.lease_expires_at', '<=', now))])]);
}

// Written as in their indexes, which is how SQLite recognises them.
const isClosed = sql<SqlBool>`release_reason = 'lease_expired'`;
const isDeactivated = sql<SqlBool>`release_reason in ('deactivated', 'license_deleted')`;

/** Activations whose lease ran out and that nothing has closed since. */
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

/** `activationStatus` in SQL. */
function hasStatus(status: ActivationStatus, now: Timestamp): Expression<SqlBool> {
  if (status === 'active') return isActive(now);
  if (status === 'deactivated') return isDeactivated;
  return eb.or([isClosed, eb.and([isHeld, eb('activations.lease_expires_at', '<=', now)])]);
}

const equalFilters = ['license_id', 'fingerprint'] as const;

/** One page and one row more (`toPage` cuts it off) of the activations that every filter lets through. */
export async function listActivations(
  db: TenantDb,
  filters: ActivationsQuery,
  now: Timestamp,
): Promise<ActivationsTable[]> {
  const { status } = filters;
  const isSelective = equalFilters.some((column) => filters[column] !== undefined);
  if (status === 'expired' && !isSelective) return await listExpired(db, filters, now);
  let query = db.query.selectFrom('activations').selectAll();
  for (const column of equalFilters) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (status !== undefined) query = query.where(hasStatus(status, now));
  return await paginate(query, filters).execute();
}

/** Expired activations are of two kinds, each with an index: a page of each, and the page of both. */
async function listExpired(db: TenantDb, page: PageRequest, now: Timestamp): Promise<ActivationsTable[]> {
  const closed = db.query.selectFrom('activations').select('activations.id').where(isClosed);
  const ended = await filterRows(db.query, 'activations', [endedLeases(db, now)]);
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

export function findActivation(db: TenantDb['query'], id: string): Promise<ActivationsTable | undefined> {
  return db.selectFrom('activations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The activation of a fingerprint that was not released; its lease may have run out. */
export function findHeldActivation(
  tx: TenantTransaction,
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

/** How many activations of a license count at `now`. */
export async function countActive(tx: TenantTransaction, licenseId: string, now: Timestamp): Promise<number> {
  const { count } = await tx
    .selectFrom('activations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('license_id', '=', licenseId)
    .where(isActive(now))
    .executeTakeFirstOrThrow();
  return count;
}

/** True when a license was activated before, whatever became of it. */
export async function hasEverBeenActivated(tx: TenantTransaction, licenseId: string): Promise<boolean> {
  const query = tx.selectFrom('activations').select('id').where('license_id', '=', licenseId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function createActivationRow(tx: TenantTransaction, row: ActivationsTable): Promise<void> {
  await tx.insertInto('activations').values(row).execute();
}

export async function updateActivationRow(
  tx: TenantTransaction,
  id: string,
  changes: Partial<ActivationsTable>,
): Promise<void> {
  await tx.updateTable('activations').set(changes).where('id', '=', id).execute();
}

/** Activations whose lease ended by `now`, the earliest end first; with `ids`, only those of them. */
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

/** When the first of the leases ends that were not closed yet; null when there is none. */
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

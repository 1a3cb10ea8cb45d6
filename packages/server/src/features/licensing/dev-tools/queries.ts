import { type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { PlatformDb, TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { FailedRequestsTable } from '../../../db/tables/tenant/administration.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';

// A count blocks an embedded database. Measured with a million licenses: counting all of them takes 65 ms with an
// index only, and 1.8 s by status. Counts that need only an index stop at `countedMost` (5 ms). Counts that need the
// rows examine the newest `examinedMost` rows (10 ms).

/** The maximum of a count that needs only an index. */
export const countedMost = 100_000;
/** The number of rows, newest first, that a count examines when it needs the rows. */
export const examinedMost = 10_000;

/** A number of rows; a lower bound when the count stopped early. */
export interface Count {
  readonly count: number;
  readonly isLowerBound: boolean;
}

const one = sql<number>`1`.as('one');

async function countUpTo<Tables, Table extends keyof Tables>(
  db: Kysely<Tables>,
  rows: SelectQueryBuilder<Tables, Table, { one: number }>,
): Promise<Count> {
  const { count } = await (db as unknown as Kysely<object>)
    .selectFrom(rows.limit(countedMost + 1).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { count: Math.min(count, countedMost), isLowerBound: count > countedMost };
}

/** Counts all rows of a table, up to `countedMost`. */
export function countAll({ query }: TenantDb, table: 'policies' | 'entitlements'): Promise<Count> {
  return countUpTo(query, query.selectFrom(table).select(one));
}

/** Counts the unread notifications, up to `countedMost`. */
export function countUnread({ query }: TenantDb): Promise<Count> {
  return countUpTo(query, query.selectFrom('notifications').select(one).where('read_at', 'is', null));
}

/** The number of licenses with the same status at one time, and the columns of an example. */
export interface LicenseGroup extends Pick<LicensesTable, 'status' | 'starts_at' | 'expires_at'> {
  readonly count: number;
}

/** Groups the newest `examinedMost` licenses that are not deleted, so that each group has one status at `now`. */
export async function groupNewestLicenses({ query }: TenantDb, now: Timestamp): Promise<LicenseGroup[]> {
  const newest = query
    .selectFrom('licenses')
    .select(['status', 'starts_at', 'expires_at', 'deleted_at'])
    .select(sql<number>`case when starts_at > ${now} then 1 else 0 end`.as('is_pending'))
    .select(sql<number>`case when expires_at <= ${now} then 1 else 0 end`.as('is_expired'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(examinedMost);
  return await query
    .selectFrom(newest.as('newest'))
    .select((eb) => [
      'status',
      eb.fn.min('starts_at').as('starts_at'),
      eb.fn.min('expires_at').as('expires_at'),
      eb.fn.countAll<number>().as('count'),
    ])
    .where('deleted_at', 'is', null)
    .groupBy(['status', 'is_pending', 'is_expired'])
    .execute();
}

/** Returns the newest license that is not deleted, among the 100 newest, with the code of its product. */
export function findNewestLicense({ query }: TenantDb): Promise<{ id: string; product: string } | undefined> {
  const newest = query
    .selectFrom('licenses')
    .select(['id', 'product_id', 'created_at', 'deleted_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100);
  return query
    .selectFrom(newest.as('newest'))
    .innerJoin('products', 'products.id', 'newest.product_id')
    .select(['newest.id as id', 'products.code as product'])
    .where('newest.deleted_at', 'is', null)
    .orderBy('newest.created_at', 'desc')
    .orderBy('newest.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the code of the newest product. */
export async function findNewestProductCode({ query }: TenantDb): Promise<string | undefined> {
  const products = query.selectFrom('products').select('code').orderBy('created_at', 'desc').orderBy('id', 'desc');
  return (await products.limit(1).executeTakeFirst())?.code;
}

/** Counts the members of a tenant, up to `countedMost`. */
export function countMembers({ query }: PlatformDb, tenant: Tenant): Promise<Count> {
  return countUpTo(query, query.selectFrom('memberships').select(one).where('tenant_id', '=', tenant.id));
}

// SQLite uses the partial index only if the condition is written exactly as in the index definition.
const isActive = sql<SqlBool>`status = 'active'`;

/** Counts the access tokens of a tenant that are neither revoked nor expired, up to `countedMost`. */
export function countActiveAccessTokens({ query }: PlatformDb, { id }: Tenant, now: Timestamp): Promise<Count> {
  const active = query
    .selectFrom('tenant_access_tokens')
    .select(one)
    .where(isActive)
    .where('tenant_id', '=', id)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
  return countUpTo(query, active);
}

/** Returns the newest stored failures, newest first. */
export function listFailures({ query }: TenantDb, limit: number): Promise<FailedRequestsTable[]> {
  return newestFailures(query, limit).selectAll().execute();
}

function newestFailures(db: Kysely<TenantTables>, limit: number) {
  return db.selectFrom('failed_requests').orderBy('occurred_at', 'desc').orderBy('id', 'desc').limit(limit);
}

/** Inserts the failures that are not stored yet, and deletes all but the newest `kept`. */
export async function keepNewestFailures(
  tx: TenantTransaction,
  failures: readonly FailedRequestsTable[],
  kept: number,
): Promise<void> {
  await tx
    .insertInto('failed_requests')
    .values([...failures])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  await tx.deleteFrom('failed_requests').where('id', 'not in', newestFailures(tx, kept).select('id')).execute();
}

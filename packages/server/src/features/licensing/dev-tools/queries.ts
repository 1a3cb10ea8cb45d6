import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { PlatformDb, TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { FailedRequestsTable } from '../../../db/tables/tenant/failed-requests.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';

// An embedded database answers nothing else while it counts. Measured with a million licenses: to count all of them
// takes 65 ms where an index is enough, and 1.8 s by status. What an index answers is counted up to `countedMost`
// (5 ms); what needs the rows looks at the newest `examinedMost` (10 ms).

/** Where a count that an index answers alone stops. */
export const countedMost = 100_000;
/** How many rows, the newest, a count looks at that needs the rows themselves. */
export const examinedMost = 10_000;

/** How many of some things there are; at least so many when the count stopped early. */
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

/** All rows of a table. */
export function countAll({ query }: TenantDb, table: 'policies' | 'entitlements'): Promise<Count> {
  return countUpTo(query, query.selectFrom(table).select(one));
}

export function countUnread({ query }: TenantDb): Promise<Count> {
  return countUpTo(query, query.selectFrom('notifications').select(one).where('read_at', 'is', null));
}

/** Licenses that have the same status at one moment: an example of them, and how many they are. */
export interface LicenseGroup extends Pick<LicensesTable, 'status' | 'starts_at' | 'expires_at'> {
  readonly count: number;
}

/** The newest licenses, grouped so that those of a group have one status at `now`, without the deleted. */
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

/** The newest license among the hundred newest, with its product's code. */
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

/** The code of the product that was made last. */
export async function findNewestProductCode({ query }: TenantDb): Promise<string | undefined> {
  const products = query.selectFrom('products').select('code').orderBy('created_at', 'desc').orderBy('id', 'desc');
  return (await products.limit(1).executeTakeFirst())?.code;
}

export function countMembers({ query }: PlatformDb, tenant: Tenant): Promise<Count> {
  return countUpTo(query, query.selectFrom('memberships').select(one).where('tenant_id', '=', tenant.id));
}

export function listFailures({ query }: TenantDb, limit: number): Promise<FailedRequestsTable[]> {
  return newestFailures(query, limit).selectAll().execute();
}

function newestFailures(db: Kysely<TenantTables>, limit: number) {
  return db.selectFrom('failed_requests').orderBy('occurred_at', 'desc').orderBy('id', 'desc').limit(limit);
}

/** Adds failures, those that are there already excepted, and drops all but the newest. */
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

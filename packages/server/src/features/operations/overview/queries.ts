import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

// The overview is read every few seconds while it is open, and a count blocks an embedded database. So each
// count examines only so many rows of an index.

/** The maximum number of licenses that the count of one status examines. */
export const examinedMost = 1000;
/** The number of expiring licenses in a response. */
export const expiringShown = 5;
/** A tenant's newest licenses, among which a validated one is looked for. */
const newestExamined = 100;

/** A group of licenses that is counted with an index. All other licenses are active. */
export type CountedLicenses = 'pending' | 'suspended' | 'expired' | 'revoked' | 'expiring';

/** The number of licenses among the examined ones. */
export interface LicenseCount {
  readonly name: CountedLicenses;
  readonly count: number;
  readonly examined: number;
}

interface Period {
  readonly now: Timestamp;
  readonly until: Timestamp;
}

// `not` before a comparison keeps SQLite from using the index on that column instead of the one on the time.

/** Selects the active licenses that have ended, or that end within the period, the earliest end first. */
function endingLicenses({ query }: TenantDb, { now, until }: Period, isEnded: boolean) {
  return query
    .selectFrom('licenses')
    .where((eb) => eb.not(eb('licenses.status', '!=', 'active')))
    .where((eb) => eb.not(eb('licenses.starts_at', '>', now)))
    .$if(isEnded, (ended) => ended.where('licenses.expires_at', '<', now))
    .$if(!isEnded, (ending) => ending.where('licenses.expires_at', '>=', now).where('licenses.expires_at', '<', until))
    .orderBy('licenses.expires_at');
}

/** Counts the licenses of each group with one statement. Each group examines at most `examinedMost` licenses. */
export async function countLicenses(db: TenantDb, period: Period): Promise<LicenseCount[]> {
  const { query } = db;
  const withStatus = (status: 'suspended' | 'revoked') =>
    query.selectFrom('licenses').where('status', '=', status).orderBy('created_at').orderBy('id');
  const pending = query
    .selectFrom('licenses')
    .where((eb) => eb.not(eb('status', '!=', 'active')))
    .where('starts_at', '>', period.now)
    .orderBy('starts_at');
  const count = (name: CountedLicenses, group: SelectQueryBuilder<TenantTables, 'licenses', object>) =>
    query
      .selectFrom(group.select('licenses.deleted_at').limit(examinedMost).as(name))
      .select((eb) => [
        sql<CountedLicenses>`${sql.lit(name)}`.as('name'),
        eb.fn.countAll<number>().as('examined'),
        sql<number>`count(*) filter (where deleted_at is null)`.as('count'),
      ]);
  const rows = await count('suspended', withStatus('suspended'))
    .unionAll(count('revoked', withStatus('revoked')))
    .unionAll(count('pending', pending))
    .unionAll(count('expired', endingLicenses(db, period, true)))
    .unionAll(count('expiring', endingLicenses(db, period, false)))
    .execute();
  return rows.map(({ name, examined, count: counted }) => {
    return { name, examined: Number(examined), count: Number(counted) };
  });
}

/** A license that ends soon. */
export interface ExpiringLicense {
  readonly id: string;
  readonly key: string;
  readonly holder_name: string | null;
  readonly product_name: string | null;
  readonly expires_at: Timestamp | null;
}

/** Returns the active licenses that end first within the period. */
export function listExpiring(db: TenantDb, period: Period): Promise<ExpiringLicense[]> {
  return endingLicenses(db, period, false)
    .select(['licenses.id', 'licenses.key', 'licenses.holder_name', 'licenses.expires_at'])
    .select((eb) =>
      eb
        .selectFrom('products')
        .select('products.name')
        .whereRef('products.id', '=', 'licenses.product_id')
        .as('product_name'),
    )
    .where('licenses.deleted_at', 'is', null)
    .limit(expiringShown)
    .execute();
}

/** Returns true if the tenant has a policy. */
export async function hasPolicy({ query }: TenantDb): Promise<boolean> {
  return (await query.selectFrom('policies').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Returns true if one of the newest licenses had a valid verdict. */
export async function hasValidatedLicense({ query }: TenantDb): Promise<boolean> {
  const newest = query
    .selectFrom('licenses')
    .select('last_validated_at')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(newestExamined);
  const validated = query
    .selectFrom(newest.as('newest'))
    .select(sql<SqlBool>`1`.as('one'))
    .where('last_validated_at', 'is not', null);
  return (await validated.limit(1).executeTakeFirst()) !== undefined;
}

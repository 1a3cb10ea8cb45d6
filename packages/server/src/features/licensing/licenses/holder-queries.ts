import type { Kysely } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { licenseTerms } from '../../../db/search/index-terms.ts';
import { replaceAllSearchTerms } from '../../../db/search/search-terms.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { isHeldBy } from './filter-queries.ts';
import { type DetailedLicense, withDetails } from './queries.ts';

const batchSize = 500;

/** Returns the newest `limit` licenses of an address that are not deleted, with their details. */
export function listDetailsOfHolder(
  db: TenantDb,
  email: string,
  limit: number,
  now: Timestamp,
): Promise<DetailedLicense[]> {
  return withDetails(db.query.selectFrom('licenses'), now)
    .where(isHeldBy(db.query, email))
    .where('licenses.deleted_at', 'is', null)
    .orderBy('licenses.created_at', 'desc')
    .orderBy('licenses.id', 'desc')
    .limit(limit)
    .execute();
}

/** Where a license is among the licenses of its holder. */
export type LicensePlace = Pick<LicensesTable, 'id' | 'created_at'>;

/** A page of the licenses of a holder, oldest first, after a place. */
interface HolderPage {
  readonly deleted: boolean;
  readonly after: LicensePlace | null;
  readonly limit: number;
}

/** Returns one page of the licenses of an address, either those that are deleted or the others. */
export function listHolderPage(
  db: Kysely<TenantTables>,
  email: string,
  { deleted, after, limit }: HolderPage,
): Promise<LicensePlace[]> {
  return db
    .selectFrom('licenses')
    .select(['id', 'created_at'])
    .where(isHeldBy(db, email))
    .where('deleted_at', deleted ? 'is not' : 'is', null)
    .$if(after !== null, (page) =>
      page.where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(after?.created_at ?? '', after?.id ?? ''))),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns the licenses with these ids in the order of the ids, the deleted ones too. */
export async function findHolderLicenses(db: Kysely<TenantTables>, ids: readonly string[]): Promise<LicensesTable[]> {
  return await db.selectFrom('licenses').selectAll().where('id', 'in', ids).orderBy('id').execute();
}

/**
 * Locks those of these licenses that an address has, in the order of their ids, until the transaction ends. Returns them,
 * the deleted ones too.
 */
export async function lockLicensesOfHolder(
  tx: TenantTransaction,
  email: string,
  ids: readonly string[],
): Promise<LicensesTable[]> {
  const query = tx.selectFrom('licenses').selectAll().where('id', 'in', ids).where(isHeldBy(tx, email)).orderBy('id');
  return ids.length === 0 ? [] : await forUpdate(tx, query).execute();
}

/** The columns of a holder that one change sets in all of its licenses. */
export type HolderColumns = Partial<
  Pick<LicensesTable, 'holder_name' | 'holder_email' | 'holder_reference' | 'status_reason'>
>;

/** Sets columns of the holder, and the search terms that follow from them, in licenses that the transaction has locked. */
export async function updateHolderRows(
  tx: TenantTransaction,
  rows: readonly LicensesTable[],
  columns: HolderColumns,
  at: Timestamp,
): Promise<void> {
  for (const batch of batchesOf(rows, batchSize)) {
    const ids = batch.map(({ id }) => id);
    await tx
      .updateTable('licenses')
      .set({ ...columns, updated_at: at })
      .where('id', 'in', ids)
      .execute();
    await replaceAllSearchTerms(
      tx,
      batch.map((row) => [row, licenseTerms({ ...row, ...columns })]),
    );
  }
}

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

/** Returns all licenses of an address in the order of their ids, the deleted ones too if `includesDeleted`. */
export async function findHolderLicenses(
  db: Kysely<TenantTables>,
  email: string,
  includesDeleted: boolean,
): Promise<LicensesTable[]> {
  const all = db.selectFrom('licenses').selectAll().where(isHeldBy(db, email));
  const rows = await all.where('deleted_at', 'is', null).execute();
  if (includesDeleted) rows.push(...(await all.where('deleted_at', 'is not', null).execute()));
  return rows.sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** Locks the rows of these licenses, in the order of their ids, until the transaction ends. Returns them. */
export async function lockHolderLicenses(
  tx: TenantTransaction,
  email: string,
  includesDeleted: boolean,
): Promise<LicensesTable[]> {
  const found = await findHolderLicenses(tx, email, includesDeleted);
  const locked: LicensesTable[] = [];
  for (const batch of batchesOf(
    found.map(({ id }) => id),
    batchSize,
  )) {
    const query = tx
      .selectFrom('licenses')
      .selectAll()
      .where('id', 'in', batch)
      .where(isHeldBy(tx, email))
      .orderBy('id');
    locked.push(...(await forUpdate(tx, query).execute()));
  }
  return includesDeleted ? locked : locked.filter((row) => row.deleted_at === null);
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

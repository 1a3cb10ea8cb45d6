import type { TenantDb } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { type PageRequest, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { countUsedRows } from './filter-queries.ts';
import { countLicenseRows, findLicensesById, listLicenseRows } from './queries.ts';
import type { LicenseFilters } from './schemas.ts';

/** The filters with which other features choose licenses. */
export type { LicenseFilters } from './schemas.ts';

/** Returns a page of the licenses that match every filter at `at`, newest first. Throws 422 for an invalid cursor. */
export async function readMatchingPage(
  db: TenantDb,
  filters: LicenseFilters & PageRequest,
  at: Timestamp,
): Promise<Page<LicensesTable>> {
  return toPage(await listLicenseRows(db, filters, at), filters.limit);
}

/** Counts the licenses that match every filter at `at`; null if they are more than `most`. */
export async function countMatching(
  db: TenantDb,
  filters: LicenseFilters,
  at: Timestamp,
  most: number,
): Promise<number | null> {
  const count = await countLicenseRows(db, filters, at, most + 1);
  return count > most ? null : count;
}

/** Counts the licenses of a batch that were ever validated or activated. */
export function countUsed({ query }: TenantDb, batchId: string): Promise<number> {
  return countUsedRows(query, batchId);
}

/** Returns the licenses with these ids that are not deleted, by id. Takes no locks. */
export function readLicensesById(db: TenantDb, ids: readonly string[]): Promise<ReadonlyMap<string, LicensesTable>> {
  return findLicensesById(db.query, ids, false);
}

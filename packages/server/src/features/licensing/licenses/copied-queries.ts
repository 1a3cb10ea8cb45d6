import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import { lockRows } from '../../../db/dialect.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

/** Returns the ids of the licenses that have these keys, by key. */
export async function findKeyOwners(
  db: Kysely<TenantTables>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map();
  const query = db.selectFrom('licenses').select(['id', 'key']).where('deleted_at', 'is', null);
  return new Map((await query.where('key', 'in', keys).execute()).map(({ id, key }) => [key, id]));
}

/** Returns the licenses with these ids that are not deleted, by id. Locks them when `isLocking`. */
export async function findLicensesById(
  db: Kysely<TenantTables>,
  ids: readonly string[],
  isLocking: boolean,
): Promise<ReadonlyMap<string, LicensesTable>> {
  if (ids.length === 0) return new Map();
  if (isLocking) {
    const tx = db as TenantTransaction;
    await lockRows(tx, tx.selectFrom('licenses').select('id').where('id', 'in', ids).orderBy('id'));
  }
  const query = db.selectFrom('licenses').selectAll().where('deleted_at', 'is', null);
  return new Map((await query.where('id', 'in', ids).execute()).map((row) => [row.id, row]));
}

import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { ImportedResourcesTable } from '../../../db/tables/tenant/administration.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

/** The collections whose resources have counterparts. */
export type MappedKind = ImportedResourcesTable['kind'];

/** Returns the rows of these resources, by their id in the other service. */
export async function findImported(
  db: Kysely<TenantTables>,
  kind: MappedKind,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, ImportedResourcesTable>> {
  if (sourceIds.length === 0) return new Map();
  const query = db.selectFrom('imported_resources').selectAll().where('kind', '=', kind);
  const rows = await query.where('source_id', 'in', sourceIds).execute();
  return new Map(rows.map((row) => [row.source_id, row]));
}

/** Returns up to `limit` ids of one source after `after`, in the order of the ids. */
export async function listImportedIds(
  db: Kysely<TenantTables>,
  kind: MappedKind,
  source: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('imported_resources')
    .select('source_id')
    .where('kind', '=', kind)
    .where('source_id', '>', after)
    .where('source', '=', source)
    .orderBy('source_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.source_id);
}

/** Inserts rows of resources that are imported for the first time. */
export async function insertImported(tx: TenantTransaction, rows: readonly ImportedResourcesTable[]): Promise<void> {
  await insertRows(tx, 'imported_resources', rows);
}

/** Stores the digest of the fields that an import wrote. */
export async function updateDigests(
  tx: TenantTransaction,
  kind: MappedKind,
  digests: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [sourceId, digest] of digests) {
    await tx
      .updateTable('imported_resources')
      .set({ digest })
      .where('kind', '=', kind)
      .where('source_id', '=', sourceId)
      .execute();
  }
}

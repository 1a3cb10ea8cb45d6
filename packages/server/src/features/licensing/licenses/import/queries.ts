import type { TenantDb, TenantTransaction } from '../../../../db/database.ts';
import type { LicenseImportRowsTable } from '../../../../db/tables/tenant/bulk.ts';

type Query = TenantDb['query'];

/** Deletes the first waiting batch of an import and returns it; undefined if none is left. The caller must have locked the import. */
export async function takeWaiting(tx: TenantTransaction, importId: string): Promise<string | undefined> {
  const first = await findWaitingAfter(tx, { import_id: importId, position: -1 });
  if (first?.import_id !== importId) return undefined;
  const batch = tx.deleteFrom('license_import_rows').where('import_id', '=', importId);
  await batch.where('position', '=', first.position).execute();
  return first.batch;
}

/** Where a batch is among the waiting ones of all imports. */
export type WaitingPlace = Pick<LicenseImportRowsTable, 'import_id' | 'position'>;

/** Returns the next waiting batch of all imports, in the order of the imports and their files. */
export function findWaitingAfter(
  query: Query,
  { import_id, position }: WaitingPlace,
): Promise<LicenseImportRowsTable | undefined> {
  return query
    .selectFrom('license_import_rows')
    .selectAll()
    .where((eb) => eb(eb.refTuple('import_id', 'position'), '>', eb.tuple(import_id, position)))
    .orderBy('import_id')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
}

/** Replaces the rows of a waiting batch. One that was imported meanwhile stays deleted. */
export async function replaceWaiting(
  query: Query,
  { import_id, position, batch }: LicenseImportRowsTable,
): Promise<void> {
  const row = query.updateTable('license_import_rows').set({ batch }).where('import_id', '=', import_id);
  await row.where('position', '=', position).execute();
}

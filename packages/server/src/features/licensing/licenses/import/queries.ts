import type { TenantDb, TenantTransaction } from '../../../../db/database.ts';
import { forUpdate } from '../../../../db/dialect.ts';
import type { LicenseImportRowsTable, LicenseImportsTable } from '../../../../db/tables/tenant/bulk.ts';

type Query = TenantDb['query'];

/** Inserts an import. */
export async function insertImport(tx: TenantTransaction, row: LicenseImportsTable): Promise<void> {
  await tx.insertInto('license_imports').values(row).execute();
}

/** Returns an import, or undefined. */
export function findImport(query: Query, id: string): Promise<LicenseImportsTable | undefined> {
  return query.selectFrom('license_imports').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads an import and locks it until the transaction ends. */
export function lockImport(tx: TenantTransaction, id: string): Promise<LicenseImportsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('license_imports').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Updates an import. The caller must have locked it. */
export async function updateImport(
  tx: TenantTransaction,
  id: string,
  fields: Partial<LicenseImportsTable>,
): Promise<void> {
  await tx.updateTable('license_imports').set(fields).where('id', '=', id).execute();
}

/** Stores a batch of rows that wait for their import. */
export async function insertWaiting(tx: TenantTransaction, row: LicenseImportRowsTable): Promise<void> {
  await tx.insertInto('license_import_rows').values(row).execute();
}

/** Deletes the first waiting batch of an import and returns it; undefined if none is left. The caller must have locked the import. */
export async function takeWaiting(tx: TenantTransaction, importId: string): Promise<string | undefined> {
  const first = await findWaitingAfter(tx, { import_id: importId, position: -1 });
  if (first?.import_id !== importId) return undefined;
  const batch = tx.deleteFrom('license_import_rows').where('import_id', '=', importId);
  await batch.where('position', '=', first.position).execute();
  return first.batch;
}

/** Deletes the waiting rows of an import. */
export async function deleteWaiting(tx: TenantTransaction, importId: string): Promise<void> {
  await tx.deleteFrom('license_import_rows').where('import_id', '=', importId).execute();
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

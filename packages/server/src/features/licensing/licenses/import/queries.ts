import type { TenantDb, TenantTransaction } from '../../../../db/database.ts';
import type { LicenseImportsTable } from '../../../../db/tables/tenant/bulk.ts';

type Query = TenantDb['query'];

/** Inserts an import. */
export async function insertImport(tx: TenantTransaction, row: LicenseImportsTable): Promise<void> {
  await tx.insertInto('license_imports').values(row).execute();
}

/** Returns an import, or undefined. */
export function findImport(query: Query, id: string): Promise<LicenseImportsTable | undefined> {
  return query.selectFrom('license_imports').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Updates an import. Only the process that runs it does so. */
export async function updateImport(
  query: Query | TenantTransaction,
  id: string,
  fields: Partial<LicenseImportsTable>,
): Promise<void> {
  await query.updateTable('license_imports').set(fields).where('id', '=', id).execute();
}

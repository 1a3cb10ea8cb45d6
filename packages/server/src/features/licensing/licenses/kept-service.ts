import type { TenantDb } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';

/** Returns the row of a license, deleted or not. It exists: a foreign key refers to it, and a deleted license keeps its row. */
export function readKeptLicense(db: TenantDb['query'], id: string): Promise<LicensesTable> {
  return db.selectFrom('licenses').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

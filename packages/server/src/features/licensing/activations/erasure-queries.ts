import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

const idsPerStatement = 500;

/** Returns every activation of these licenses, released ones included, in the order of their ids. */
export async function listDevicesOf(
  db: Kysely<TenantTables>,
  licenseIds: readonly string[],
): Promise<ActivationsTable[]> {
  const rows: ActivationsTable[] = [];
  for (let start = 0; start < licenseIds.length; start += idsPerStatement) {
    const ids = licenseIds.slice(start, start + idsPerStatement);
    rows.push(...(await db.selectFrom('activations').selectAll().where('license_id', 'in', ids).execute()));
  }
  return rows.sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** Empties the columns that identify a user in every activation of these licenses. Returns the ids of the activations. */
export async function eraseDeviceRows(tx: TenantTransaction, licenseIds: readonly string[]): Promise<string[]> {
  const erasedIds: string[] = [];
  for (let start = 0; start < licenseIds.length; start += idsPerStatement) {
    const ids = licenseIds.slice(start, start + idsPerStatement);
    const rows = await tx.selectFrom('activations').select('id').where('license_id', 'in', ids).execute();
    erasedIds.push(...rows.map(({ id }) => id));
    const columns = { name: null, hostname: null, ip: null };
    await tx.updateTable('activations').set(columns).where('license_id', 'in', ids).execute();
  }
  return erasedIds;
}

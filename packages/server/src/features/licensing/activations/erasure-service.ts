import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import { batchesOf } from '../../../lib/batches.ts';

/** The fields of an activation that can identify its user. The fingerprint is needed to keep the seat. */
export const identifyingFields = ['name', 'hostname', 'ip'] as const;

const idsPerStatement = 500;

/** Returns every activation of these licenses, released ones included, in the order of their ids. */
export async function readDevicesOf({ query }: TenantDb, licenseIds: readonly string[]): Promise<ActivationsTable[]> {
  const rows: ActivationsTable[] = [];
  for (const ids of batchesOf(licenseIds, idsPerStatement)) {
    rows.push(...(await query.selectFrom('activations').selectAll().where('license_id', 'in', ids).execute()));
  }
  return rows.sort((left, right) => (left.id < right.id ? -1 : 1));
}

/**
 * Removes the names and the client addresses of all devices of these licenses, which keep their seats. The caller must
 * have locked the licenses. Returns the ids of the activations.
 */
export async function eraseDevices(tx: TenantTransaction, licenseIds: readonly string[]): Promise<string[]> {
  const erasedIds: string[] = [];
  for (const ids of batchesOf(licenseIds, idsPerStatement)) {
    const rows = await tx.selectFrom('activations').select('id').where('license_id', 'in', ids).execute();
    erasedIds.push(...rows.map(({ id }) => id));
    const columns = { name: null, hostname: null, ip: null };
    await tx.updateTable('activations').set(columns).where('license_id', 'in', ids).execute();
  }
  return erasedIds;
}

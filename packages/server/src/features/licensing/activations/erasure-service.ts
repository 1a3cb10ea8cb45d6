import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import { eraseDeviceRows, listDevicesOf } from './erasure-queries.ts';

/** The fields of an activation that can identify its user. The fingerprint is needed to keep the seat. */
export const identifyingFields = ['name', 'hostname', 'ip'] as const;

/** Returns every activation of these licenses, released ones included, in the order of their ids. */
export function readDevicesOf(db: TenantDb, licenseIds: readonly string[]): Promise<ActivationsTable[]> {
  return listDevicesOf(db.query, licenseIds);
}

/**
 * Removes the names and the client addresses of all devices of these licenses, which keep their seats. The caller must
 * have locked the licenses. Returns the ids of the activations.
 */
export function eraseDevices(tx: TenantTransaction, licenseIds: readonly string[]): Promise<string[]> {
  return eraseDeviceRows(tx, licenseIds);
}

import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import { batchesOf } from '../../../lib/batches.ts';
import { type Components, parseComponents } from './components.ts';

/** The fields of an activation that can identify its user. Fingerprint and components are needed to keep the seat. */
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

/** Returns the values by which a device is recognised without its fingerprint; undefined if it never sent any. */
export function componentsOf({ components_json }: ActivationsTable): Components | undefined {
  if (components_json === null) return undefined;
  const { present, missing } = parseComponents(components_json);
  return { ...missing, ...present };
}

/** Where a device is among those of its license. */
export type DevicePlace = Pick<ActivationsTable, 'license_id' | 'created_at' | 'id'>;

/** The next devices of some licenses whose names and addresses are removed. */
interface ErasedDevices {
  readonly licenseIds: readonly string[];
  readonly after: DevicePlace | null;
  readonly limit: number;
}

/**
 * Removes the names and the client addresses of the next devices of these licenses, which keep their seats. The caller must
 * have locked the licenses. Returns the ids of the activations, and where to continue; null after the last one.
 */
export async function eraseDevices(
  tx: TenantTransaction,
  { licenseIds, after, limit }: ErasedDevices,
): Promise<{ readonly ids: string[]; readonly next: DevicePlace | null }> {
  if (licenseIds.length === 0) return { ids: [], next: null };
  const places = await tx
    .selectFrom('activations')
    .select(['license_id', 'created_at', 'id'])
    .where('license_id', 'in', licenseIds)
    .$if(after !== null, (page) =>
      page.where((eb) =>
        eb(
          eb.refTuple('license_id', 'created_at', 'id'),
          '>',
          eb.tuple(after?.license_id ?? '', after?.created_at ?? '', after?.id ?? ''),
        ),
      ),
    )
    .orderBy('license_id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  const ids = places.map(({ id }) => id);
  if (ids.length > 0) {
    await tx.updateTable('activations').set({ name: null, hostname: null, ip: null }).where('id', 'in', ids).execute();
  }
  return { ids, next: places.length < limit ? null : (places.at(-1) ?? null) };
}

import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/activations.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Inserts activations. */
export async function createActivationRows(tx: TenantTransaction, rows: readonly ActivationsTable[]): Promise<void> {
  await insertRows(tx, 'activations', rows);
}

/** Returns the activations with these ids, by id. */
export async function findActivationsById(
  db: Kysely<TenantTables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ActivationsTable>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('activations').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the number of active activations of these licenses, by license; a license without one is absent. */
export async function countSeats(
  db: Kysely<TenantTables>,
  licenseIds: readonly string[],
  now: Timestamp,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('activations')
    .select((eb) => ['license_id', eb.fn.countAll<number>().as('count')])
    .where('license_id', 'in', licenseIds)
    .where('released_at', 'is', null)
    .where((eb) => eb.or([eb('lease_expires_at', 'is', null), eb('lease_expires_at', '>', now)]))
    .groupBy('license_id')
    .execute();
  return new Map(rows.map(({ license_id, count }) => [license_id, Number(count)]));
}

/** Returns the activations of these licenses that have one of these fingerprints and were not released. */
export function findHeldBy(
  db: Kysely<TenantTables>,
  licenseIds: readonly string[],
  fingerprints: readonly string[],
): Promise<ActivationsTable[]> {
  return db
    .selectFrom('activations')
    .selectAll()
    .where('license_id', 'in', licenseIds)
    .where('fingerprint', 'in', fingerprints)
    .where('released_at', 'is', null)
    .execute();
}

import type { ExpressionBuilder } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../db/database.ts';
import type { ActivationsTable, TenantTables } from '../../db/tables.ts';
import { paginate } from '../../http/cursor.ts';
import type { Timestamp } from '../../lib/clock.ts';
import type { ActivationStatus } from './activation.ts';
import type { ActivationsQuery } from './schemas.ts';

/** `activationStatus` in SQL. */
function hasStatus(eb: ExpressionBuilder<TenantTables, 'activations'>, status: ActivationStatus, now: Timestamp) {
  const held = eb('released_at', 'is', null);
  if (status === 'active') {
    return eb.and([held, eb.or([eb('lease_expires_at', 'is', null), eb('lease_expires_at', '>', now)])]);
  }
  if (status === 'expired') {
    return eb.or([eb('release_reason', '=', 'lease_expired'), eb.and([held, eb('lease_expires_at', '<=', now)])]);
  }
  return eb('release_reason', 'in', ['deactivated', 'license_deleted']);
}

export function listActivations(db: TenantDb, filters: ActivationsQuery, now: Timestamp): Promise<ActivationsTable[]> {
  let query = db.query.selectFrom('activations').selectAll();
  if (filters.license_id !== undefined) query = query.where('license_id', '=', filters.license_id);
  const { status } = filters;
  if (status !== undefined) query = query.where((eb) => hasStatus(eb, status, now));
  return paginate(query, filters).execute();
}

export function findActivation(db: TenantDb['query'], id: string): Promise<ActivationsTable | undefined> {
  return db.selectFrom('activations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The activation of a fingerprint that was not released; its lease may have run out. */
export function findHeldActivation(
  tx: TenantTransaction,
  licenseId: string,
  fingerprint: string,
): Promise<ActivationsTable | undefined> {
  return tx
    .selectFrom('activations')
    .selectAll()
    .where('license_id', '=', licenseId)
    .where('fingerprint', '=', fingerprint)
    .where('released_at', 'is', null)
    .executeTakeFirst();
}

/** How many activations of a license count at `now`. */
export async function countActive(tx: TenantTransaction, licenseId: string, now: Timestamp): Promise<number> {
  const { count } = await tx
    .selectFrom('activations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('license_id', '=', licenseId)
    .where((eb) => hasStatus(eb, 'active', now))
    .executeTakeFirstOrThrow();
  return count;
}

/** True when a license was activated before, whatever became of it. */
export async function hasEverBeenActivated(tx: TenantTransaction, licenseId: string): Promise<boolean> {
  const query = tx.selectFrom('activations').select('id').where('license_id', '=', licenseId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function createActivationRow(tx: TenantTransaction, row: ActivationsTable): Promise<void> {
  await tx.insertInto('activations').values(row).execute();
}

export async function updateActivationRow(
  tx: TenantTransaction,
  id: string,
  changes: Partial<ActivationsTable>,
): Promise<void> {
  await tx.updateTable('activations').set(changes).where('id', '=', id).execute();
}

/** Closes the leases of a license that ran out before `before`, each at its own end. */
export async function closeLeases(tx: TenantTransaction, licenseId: string, before: Timestamp): Promise<void> {
  await tx
    .updateTable('activations')
    .set((eb) => ({ released_at: eb.ref('lease_expires_at'), release_reason: 'lease_expired' as const }))
    .where('license_id', '=', licenseId)
    .where('released_at', 'is', null)
    .where('lease_expires_at', '<', before)
    .execute();
}

export async function countDeactivation(tx: TenantTransaction, licenseId: string): Promise<void> {
  await tx
    .updateTable('licenses')
    .set((eb) => ({ deactivations_count: eb('deactivations_count', '+', 1) }))
    .where('id', '=', licenseId)
    .execute();
}

import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { EntitlementsTable } from '../../../db/tables/tenant/policies.ts';
import { paginate } from '../../../http/cursor.ts';
import type { EntitlementsQuery } from './schemas.ts';

/** Returns code and name of every entitlement. */
export function listEntitlementNames(db: TenantDb): Promise<Pick<EntitlementsTable, 'code' | 'name'>[]> {
  return db.query.selectFrom('entitlements').select(['code', 'name']).execute();
}

/** Returns one page of entitlements and one row more, which `toPage` cuts off. Newest first. */
export function listEntitlements(db: TenantDb, filters: EntitlementsQuery): Promise<EntitlementsTable[]> {
  let query = db.query.selectFrom('entitlements').selectAll();
  if (filters.code !== undefined) query = query.where('code', '=', filters.code);
  if (filters.type !== undefined) query = query.where('type', '=', filters.type);
  return paginate(query, filters).execute();
}

/** Returns id, code and type of every entitlement. */
export function listDefinitions(db: TenantDb): Promise<Pick<EntitlementsTable, 'id' | 'code' | 'type'>[]> {
  return db.query.selectFrom('entitlements').select(['id', 'code', 'type']).execute();
}

/** Reads entitlements and locks their rows, in the order of their codes so that two transactions cannot deadlock. */
export function lockEntitlementsByCode(tx: TenantTransaction, codes: readonly string[]): Promise<EntitlementsTable[]> {
  return forUpdate(tx, tx.selectFrom('entitlements').selectAll().where('code', 'in', codes).orderBy('code')).execute();
}

/** Deletes every reference of a policy or a license. */
export async function deleteReferences(tx: TenantTransaction, ownerId: string): Promise<void> {
  await tx.deleteFrom('entitlement_references').where('owner_id', '=', ownerId).execute();
}

/** Inserts references of policies and licenses to entitlements. */
export async function createReferences(
  tx: TenantTransaction,
  references: readonly { readonly owner_id: string; readonly entitlement_id: string }[],
): Promise<void> {
  await insertRows(tx, 'entitlement_references', references);
}

/** Returns every entitlement. */
export function listAllEntitlements(db: TenantDb): Promise<EntitlementsTable[]> {
  return db.query.selectFrom('entitlements').selectAll().execute();
}

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

/** Returns the entitlement, or undefined. */
export function findEntitlement(db: TenantDb, id: string): Promise<EntitlementsTable | undefined> {
  return db.query.selectFrom('entitlements').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns id, code and type of every entitlement. */
export function listDefinitions(db: TenantDb): Promise<Pick<EntitlementsTable, 'id' | 'code' | 'type'>[]> {
  return db.query.selectFrom('entitlements').select(['id', 'code', 'type']).execute();
}

/** Reads an entitlement and locks its row until the transaction ends. */
export function lockEntitlement(tx: TenantTransaction, id: string): Promise<EntitlementsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('entitlements').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Reads entitlements and locks their rows, in the order of their codes so that two transactions cannot deadlock. */
export function lockEntitlementsByCode(tx: TenantTransaction, codes: readonly string[]): Promise<EntitlementsTable[]> {
  return forUpdate(tx, tx.selectFrom('entitlements').selectAll().where('code', 'in', codes).orderBy('code')).execute();
}

/** Inserts an entitlement. Throws a unique violation when the code is taken. */
export async function createEntitlementRow(tx: TenantTransaction, row: EntitlementsTable): Promise<void> {
  await tx.insertInto('entitlements').values(row).execute();
}

/** Updates every column of an entitlement. */
export async function updateEntitlementRow(tx: TenantTransaction, row: EntitlementsTable): Promise<void> {
  await tx.updateTable('entitlements').set(row).where('id', '=', row.id).execute();
}

/** Deletes an entitlement. Throws a foreign key violation while a policy or a license refers to it. */
export async function deleteEntitlementRow(tx: TenantTransaction, id: string): Promise<void> {
  await tx.deleteFrom('entitlements').where('id', '=', id).execute();
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

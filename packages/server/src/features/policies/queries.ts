import type { TenantDb, TenantTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PoliciesTable } from '../../db/tables.ts';
import { paginate } from '../../http/cursor.ts';
import type { PoliciesQuery } from './schemas.ts';

export function listPolicies(db: TenantDb, filters: PoliciesQuery): Promise<PoliciesTable[]> {
  let query = db.query.selectFrom('policies').selectAll();
  if (filters.product_id !== undefined) query = query.where('product_id', '=', filters.product_id);
  return paginate(query, filters).execute();
}

export function findPolicyRow(db: TenantDb['query'], id: string): Promise<PoliciesTable | undefined> {
  return db.selectFrom('policies').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads a policy and keeps others from changing it until the transaction ends. */
export function lockPolicy(tx: TenantTransaction, id: string): Promise<PoliciesTable | undefined> {
  return forUpdate(tx, tx.selectFrom('policies').selectAll().where('id', '=', id)).executeTakeFirst();
}

export async function createPolicyRow(tx: TenantTransaction, row: PoliciesTable): Promise<void> {
  await tx.insertInto('policies').values(row).execute();
}

export async function updatePolicyRow(tx: TenantTransaction, row: PoliciesTable): Promise<void> {
  await tx.updateTable('policies').set(row).where('id', '=', row.id).execute();
}

export async function deletePolicyRow(tx: TenantTransaction, id: string): Promise<void> {
  await tx.deleteFrom('policies').where('id', '=', id).execute();
}

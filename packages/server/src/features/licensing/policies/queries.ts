import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forShare, forUpdate } from '../../../db/dialect.ts';
import { firstIn } from '../../../db/prepared-queries.ts';
import { policyTerms } from '../../../db/search/index-terms.ts';
import { planListFilters } from '../../../db/search/list-filter-plan.ts';
import { addSearchTerms, replaceSearchTerms, textFilters } from '../../../db/search/search-terms.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import type { PoliciesQuery } from './schemas.ts';

/** Returns one page of policies and one row more, which `toPage` cuts off. Newest first. */
export async function listPolicies(db: TenantDb, filters: PoliciesQuery): Promise<PoliciesTable[]> {
  const search =
    filters.q === undefined ? [] : textFilters(db.query, { table: 'policies', scope: 'policy', text: filters.q });
  const { query, timeColumn } = await planListFilters(db.query, 'policies', search);
  const narrowed = (['product_id', 'code'] as const).reduce((rest, column) => {
    const value = filters[column];
    return value === undefined ? rest : rest.where(`policies.${column}`, '=', value);
  }, query);
  const { archived } = filters;
  const shown =
    archived === 'all' ? narrowed : narrowed.where('policies.archived_at', archived === 'true' ? 'is not' : 'is', null);
  return await paginate(shown.selectAll('policies'), filters, timeColumn).execute();
}

/** Returns the policy, or undefined, in the caller's transaction or outside one. Takes no lock. */
export function findPolicy(db: TenantDb['query'], id: string): Promise<PoliciesTable | undefined> {
  return firstIn(db, policyById, [id]);
}

const policyById: PreparedRead<TenantTables, PoliciesTable> = {
  name: 'policy_by_id',
  build: (db, parameter) => db.selectFrom('policies').selectAll().where('id', '=', parameter(0)),
};

/**
 * Returns the policy, or undefined, and keeps it as it is until the transaction ends: a lease that it determines is then
 * the lease of its newest terms. Call it before the transaction writes activations, which a change of the policy writes.
 */
export function holdPolicy(tx: TenantTransaction, id: string): Promise<PoliciesTable | undefined> {
  return firstIn(tx, heldPolicyById, [id]);
}

const heldPolicyById: PreparedRead<TenantTables, PoliciesTable> = {
  name: 'held_policy_by_id',
  build: (db, parameter) => forShare(db, db.selectFrom('policies').selectAll().where('id', '=', parameter(0))),
};

/** Returns the policies with these ids, in no particular order. */
export async function findPolicyRows(db: TenantDb, ids: readonly string[]): Promise<PoliciesTable[]> {
  if (ids.length === 0) return [];
  return await db.query.selectFrom('policies').selectAll().where('id', 'in', ids).execute();
}

/** Reads a policy and locks its row until the transaction ends. */
export function lockPolicy(tx: TenantTransaction, id: string): Promise<PoliciesTable | undefined> {
  return forUpdate(tx, tx.selectFrom('policies').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Inserts a policy and its search terms. Throws a unique violation when the product has a policy with this code. */
export async function createPolicyRow(tx: TenantTransaction, row: PoliciesTable): Promise<void> {
  await tx.insertInto('policies').values(row).execute();
  await addSearchTerms(tx, [[row, policyTerms(row)]]);
}

/** Updates a policy and its search terms. Throws a unique violation when the code is taken. */
export async function updatePolicyRow(tx: TenantTransaction, row: PoliciesTable): Promise<void> {
  await tx.updateTable('policies').set(row).where('id', '=', row.id).execute();
  await replaceSearchTerms(tx, row, policyTerms(row));
}

/** Deletes a policy and its search terms. Throws a foreign key violation when a license refers to it. */
export async function deletePolicyRow(tx: TenantTransaction, row: PoliciesTable): Promise<void> {
  await tx.deleteFrom('policies').where('id', '=', row.id).execute();
  await replaceSearchTerms(tx, row, []);
}

/** Returns true if new trials of the policy's product get the policy. */
export async function isTrialPolicy(
  tx: TenantDb['query'] | TenantTransaction,
  { id, product_id }: Pick<PoliciesTable, 'id' | 'product_id'>,
): Promise<boolean> {
  const product = tx.selectFrom('products').select('id').where('id', '=', product_id).where('trial_policy_id', '=', id);
  return (await product.executeTakeFirst()) !== undefined;
}

/** Returns true if a license was ever issued under the policy, deleted or not. */
export async function hasLicenses(db: TenantDb, policyId: string): Promise<boolean> {
  const license = db.query.selectFrom('licenses').select('id').where('policy_id', '=', policyId).limit(1);
  return (await license.executeTakeFirst()) !== undefined;
}

/** Returns true if no licenses of the product are issued. */
export async function isOfArchivedProduct(
  tx: TenantTransaction,
  { product_id }: Pick<PoliciesTable, 'product_id'>,
): Promise<boolean> {
  const product = tx
    .selectFrom('products')
    .select('id')
    .where('id', '=', product_id)
    .where('archived_at', 'is not', null);
  return (await product.executeTakeFirst()) !== undefined;
}

const summaryColumns = [
  'id',
  'product_id',
  'code',
  'key_prefix',
  'duration_days',
  'duration_months',
  'ends_with_month',
  'expiry_basis',
  'renewal_basis',
  'maintenance_days',
  'archived_at',
] as const;

/** A policy without its entitlements and metadata, which can be large. */
export type PolicySummary = Pick<PoliciesTable, (typeof summaryColumns)[number]>;

/** Returns a summary of every policy of the tenant, for bulk work. */
export function listAllPolicies(db: TenantDb): Promise<PolicySummary[]> {
  return db.query.selectFrom('policies').select(summaryColumns).execute();
}

/** Returns every policy. */
export function listPolicyRows(db: TenantDb): Promise<PoliciesTable[]> {
  return db.query.selectFrom('policies').selectAll().execute();
}

/** Returns the policy of a product with this code, archived or not, or undefined. */
export function findPolicyByCode(db: TenantDb, productId: string, code: string): Promise<PoliciesTable | undefined> {
  const policies = db.query.selectFrom('policies').selectAll().where('product_id', '=', productId);
  return policies.where('code', '=', code).executeTakeFirst();
}

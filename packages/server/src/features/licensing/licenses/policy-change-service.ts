import type { TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { holdPolicy } from '../policies/service.ts';
import { unknownPolicy } from './conflicts.ts';
import type { LeaseChange } from './license-dependents.ts';

/**
 * Holds the former and the new policy of a license until the transaction ends, so that the lease of its devices follows
 * from both; null if the license keeps its policy. Throws 422 for a policy of another product.
 */
export async function holdPolicies(
  tx: TenantTransaction,
  before: LicensesTable,
  after: LicensesTable,
): Promise<Pick<LeaseChange, 'from' | 'to'> | null> {
  if (before.policy_id === after.policy_id) return null;
  const from = await holdPolicy(tx, before.policy_id);
  const to = await holdPolicy(tx, after.policy_id);
  if (from !== undefined && to?.product_id === after.product_id) return { from, to };
  throw unknownPolicy("must be the id of a policy of the license's product");
}

import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { hasOwnedTrial, hasSubscribed } from './trial-queries.ts';

/**
 * Returns whether a purchase may begin with a free trial: the first subscription of a tenant, bought by a person none of
 * whose own tenants had a trial. `tenantId` is null for a tenant that the purchase creates.
 */
export async function isTrialAvailable(
  db: PlatformDb['query'] | PlatformTransaction,
  { tenantId, userId }: { readonly tenantId: string | null; readonly userId: string },
): Promise<boolean> {
  if (tenantId !== null && (await hasSubscribed(db, tenantId))) return false;
  return !(await hasOwnedTrial(db, userId));
}

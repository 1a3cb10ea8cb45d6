import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { limitsOf } from '../../../tenancy/tenant-record.ts';
import { limitNotice } from './limit-notice.ts';
import { countApiKeys, countMembers, findPlanLimits, lockLimits } from './queries.ts';
import { planLimitReached } from './service.ts';

// What a plan limits in the platform database: few of each, counted up to the limit while the tenant's row is locked.

type PlatformResource = 'api_keys' | 'members';

const counts = { api_keys: countApiKeys, members: countMembers } as const;

interface Entering {
  readonly tenantId: string;
  readonly resource: PlatformResource;
  /** Of those that are counted when this is asked; 0 when nothing new will be made. */
  readonly added: 0 | 1;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/** What the tenant is to be told once the transaction is committed; null when nothing. */
export type LimitNotice = ReturnType<typeof limitNotice>;

/**
 * Makes sure that there is room for what the transaction is about to make, and keeps others from taking it until the
 * transaction ends. Answers what to tell the tenant with the audit record of the creation. Throws 403
 * `PLAN.LIMIT_REACHED`.
 */
export async function assertPlatformQuota(
  tx: PlatformTransaction,
  { tenantId, resource, added, at, requestId }: Entering,
): Promise<LimitNotice> {
  const tenant = await lockLimits(tx, tenantId);
  if (tenant === undefined) return null;
  const plan_limits_json = await findPlanLimits(tx, tenant.plan_code);
  const limit = limitsOf({ limits_json: tenant.limits_json, plan_limits_json })[resource];
  if (limit === null) return null;
  const before = await counts[resource](tx, tenantId, at, limit + 1);
  if (before + added > limit) throw planLimitReached(resource, limit);
  return limitNotice({ resource, before, after: before + added, limit, at, requestId });
}

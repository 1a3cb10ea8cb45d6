import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { limitsOf } from '../../../tenancy/tenant-record.ts';
import { limitNotice } from './limit-notice.ts';
import { countApiKeys, countMembers, findPlanLimits, lockLimits } from './queries.ts';
import { planLimitReached } from './service.ts';

// Quotas of resources in the platform database. A tenant has few of each, so they are counted, up to the limit, while
// the tenant's row is locked.

type PlatformResource = 'api_keys' | 'members';

const counts = { api_keys: countApiKeys, members: countMembers } as const;

interface PlatformReservation {
  readonly tenantId: string;
  readonly resource: PlatformResource;
  /** The number of rows that the transaction adds; 0 if it replaces a counted row. */
  readonly added: 0 | 1;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/** The notification to create with the audit record of the creation; null if no threshold is crossed. */
export type LimitNotice = ReturnType<typeof limitNotice>;

/**
 * Asserts that the plan allows the resource that the transaction is about to create, and locks the tenant's row, so
 * that concurrent transactions wait until this one ends. Returns the notification to record with the audit record of
 * the creation. Throws 403 `PLAN.LIMIT_REACHED`.
 */
export async function assertPlatformQuota(
  tx: PlatformTransaction,
  { tenantId, resource, added, at, requestId }: PlatformReservation,
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

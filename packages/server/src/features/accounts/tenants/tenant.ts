import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { PlanLimits } from '../../../tenancy/tenant.ts';
import type { PastDue } from './schemas.ts';

/** The plan of every tenant without a subscription. It exists from the first start and cannot be archived. */
export const freePlanCode = 'free';

type LimitName = keyof PlanLimits;
type RateName = 'integration_requests_per_minute';

/** A tenant's own limits, as they are stored: null is unlimited. Every other limit is that of the plan. */
export type StoredOverrides = { readonly [Name in LimitName]?: number | null };

/** A tenant's own limits, as the API shows them. The rate always has a limit. */
export type LimitOverrides = { readonly [Name in Exclude<LimitName, RateName>]?: number | 'unlimited' } & {
  readonly [Name in RateName]?: number;
};

/** A change of a tenant's limits. An absent limit stays, null goes back to the plan's, and `"unlimited"` lifts it. */
export type LimitChanges = { readonly [Name in LimitName]?: number | 'unlimited' | null };

/** Parses the overrides of a tenant's row. */
export function parseOverrides(limitsJson: string): StoredOverrides {
  return JSON.parse(limitsJson);
}

/** Applies a change to a tenant's overrides; null removes all of them. */
export function changeOverrides(before: StoredOverrides, changes: LimitChanges | null): StoredOverrides {
  if (changes === null) return {};
  const { set, reset } = Object.groupBy(Object.entries(changes), ([, limit]) => (limit === null ? 'reset' : 'set'));
  const removed = new Set(reset?.map(([name]) => name));
  const kept = Object.entries(before).filter(([name]) => !removed.has(name));
  const added = (set ?? []).map(([name, limit]) => [name, limit === 'unlimited' ? null : limit] as const);
  return Object.fromEntries([...kept, ...added]);
}

/** Returns a tenant's overrides as the API shows them. */
export function presentOverrides(stored: StoredOverrides): LimitOverrides {
  const { integration_requests_per_minute: rate, ...counts } = stored;
  const shown = Object.fromEntries(
    Object.entries(counts).map(([name, limit]) => [name, limit ?? 'unlimited'] as const),
  );
  return typeof rate === 'number' ? { ...shown, integration_requests_per_minute: rate } : shown;
}

export type { PastDue } from './schemas.ts';

/**
 * Billing's contract for tenants. Billing imports `tenants`, so `tenants` cannot import billing. Billing implements
 * this contract, and the composition root passes it in as `Services.tenantBilling`.
 */
export interface TenantBilling {
  /**
   * Throws 409 `BILLING.MANAGED_BY_SUBSCRIPTION` if a running subscription determines the tenant's plan. The caller
   * must have locked the tenant's row, which every change of its subscriptions locks as well.
   */
  assertPlanIsFreeToChange(tx: PlatformTransaction, tenantId: string): Promise<void>;
  /** Returns the overdue payment of each tenant. Tenants without one are absent. */
  findPastDue(platform: PlatformDb, tenantIds: readonly string[]): Promise<ReadonlyMap<string, PastDue>>;
}

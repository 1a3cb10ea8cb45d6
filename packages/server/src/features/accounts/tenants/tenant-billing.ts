import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { PastDue } from './schemas.ts';

export type { PastDue } from './schemas.ts';

/**
 * What billing knows of a tenant. Billing imports `tenants`, so `tenants` cannot import billing. Billing implements
 * this contract, and the composition root passes it in as `Services.tenantBilling`.
 */
export interface TenantBilling {
  /**
   * Throws 409 `BILLING.MANAGED_BY_SUBSCRIPTION` if a running subscription determines the tenant's plan. The caller
   * must have locked the tenant's row, which every change of its subscriptions locks as well.
   */
  assertPlanIsFreeToChange(tx: PlatformTransaction, tenantId: string): Promise<void>;
  /** Returns by tenant what is overdue. Tenants that owe nothing are missing. */
  findPastDue(platform: PlatformDb, tenantIds: readonly string[]): Promise<ReadonlyMap<string, PastDue>>;
}

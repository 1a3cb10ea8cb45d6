import type { TenantDb } from '../db/database.ts';

/** What a plan allows, after the tenant's own overrides. Null: no limit. */
export interface PlanLimits {
  readonly products: number | null;
  readonly licenses: number | null;
  readonly activations: number | null;
  readonly api_keys: number | null;
  readonly webhooks: number | null;
  readonly members: number | null;
  readonly integration_requests_per_minute: number;
}

/** A resolved, active tenant: the only way to its data. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly limits: PlanLimits;
  readonly db: TenantDb;
}

/** Who caused a change, and through which request. */
export interface Actor {
  readonly type: 'user' | 'admin' | 'api_key' | 'system';
  readonly id: string | null;
  readonly requestId: string | null;
  readonly ip: string | null;
}

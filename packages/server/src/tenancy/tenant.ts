import type { TenantDb } from '../db/database.ts';

/** The limits of a tenant: those of its plan with the tenant's own overrides applied. Null means unlimited. */
export interface PlanLimits {
  readonly products: number | null;
  readonly licenses: number | null;
  readonly activations: number | null;
  readonly api_keys: number | null;
  readonly webhooks: number | null;
  readonly members: number | null;
  readonly integration_requests_per_minute: number;
}

/** A resolved, active tenant. It is the only access to the tenant's data. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly limits: PlanLimits;
  readonly db: TenantDb;
}

/** The originator of a change and the request that caused it; for the audit log. */
export interface Actor {
  /**
   * `holder`: the holder of a license, in the portal; `id` is the id of the session. `connection`: a shop, whose message
   * causes the change; `id` is the id of the connection.
   */
  readonly type: 'user' | 'admin' | 'api_key' | 'system' | 'holder' | 'connection';
  readonly id: string | null;
  readonly requestId: string | null;
  readonly ip: string | null;
  /** The user who created the access token that acts; absent for any other actor. `id` is then the token's id. */
  readonly createdBy?: string;
  /** The only product that an API key reaches; absent for any other actor and for a key of all products. */
  readonly productId?: string;
}

/** The actor of background work and of the operator's commands. */
export const systemActor: Actor = { type: 'system', id: null, requestId: null, ip: null };

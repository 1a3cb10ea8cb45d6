import type { Timestamp } from '../../../lib/clock.ts';
import type { Flag } from '../shared-tables.ts';

/** A tenant, and where its database is. */
export interface TenantsTable {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  /**
   * `payment`: suspended for an overdue payment, which ends the suspension. `live_tenant`: a test copy that is suspended
   * with its live tenant, whose reinstatement ends the suspension. Null: not suspended, or by an operator.
   */
  suspended_for: 'payment' | 'live_tenant' | null;
  plan_code: string;
  /** The limits that override those of the plan. */
  limits_json: string;
  /** `embedded`, or `host:port` of the PostgreSQL server that holds the tenant's database. */
  placement: string;
  /** On PostgreSQL the name of database and role. On SQLite the name of the file; null if it is the tenant's id. */
  database_name: string | null;
  /** The password of the tenant's role, encrypted under the application key; null on SQLite. */
  database_secret: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  closed_at: Timestamp | null;
  /** The tenant whose test copy this one is; null: a live tenant. */
  live_tenant_id: string | null;
  /**
   * The id of a running or abandoned move, 32 hexadecimal digits; else null. The first 12 are a part of the name of the
   * database that the move creates.
   */
  move_id: string | null;
  /** The end of the move's lease, which the move extends while it runs: afterwards it counts as abandoned. */
  move_expires_at: Timestamp | null;
  /**
   * The time until which writes to the tenant's database are refused, because a move copies it. The move extends it
   * while it runs.
   */
  writes_paused_until: Timestamp | null;
}

/** The address of a tenant's portal for the holders of its licenses: `/portal/{handle}`. */
export interface PortalHandlesTable {
  tenant_id: string;
  /** Unique in the installation. */
  handle: string;
  /** 0: the portal is switched off, and the handle stays reserved. */
  is_enabled: Flag;
  updated_at: Timestamp;
  /** The portal's domain of its own in ASCII, also while it is not proved; null: none. */
  domain: string | null;
  /** What the DNS record of the domain must contain. A new domain gets a new one. */
  domain_token: string | null;
  /** Since when the domain is proved. Unique among the proved domains of the installation; null: not proved. */
  domain_verified_at: Timestamp | null;
}

/** Finds the tenant of a connection to a shop, whose own row is in the tenant's database. */
export interface SalesConnectionsTable {
  id: string;
  tenant_id: string;
}

/** A plan, which limits a tenant's resources. */
export interface PlansTable {
  id: string;
  code: string;
  name: string;
  limits_json: string;
  features_json: string;
  /** The product to which the plan belongs; null for a plan without a product. */
  catalog_product_id: string | null;
  /** Since when the plan is no longer offered; null while it is. Tenants that have the plan keep it. */
  archived_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** An API key of a tenant. The key itself is not stored. */
export interface ApiKeysTable {
  id: string;
  tenant_id: string;
  name: string;
  /** HMAC-SHA256 of the key under the application key, hex. */
  key_hash: string;
  /** The masked key, such as `vx_3f9a…c2d1`: enough to recognise it, too little to use it. */
  hint: string;
  status: 'active' | 'revoked';
  scopes_json: string;
  allowed_cidrs_json: string;
  /** The only product whose licenses the key reaches; null: all. Its row is in the tenant's database. */
  product_id: string | null;
  rate_limit_per_minute: number | null;
  rate_limit_per_address_per_minute: number | null;
  /** Who created the key. `created_by_id` is null for `system`. */
  created_by_type: 'user' | 'admin' | 'system';
  created_by_id: string | null;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

/** The roles of an access token: those of members, except that only a person can own a tenant. */
export type AccessTokenRole = 'admin' | 'support' | 'viewer';

/** An access token for automation, which belongs to a tenant. The token itself is not stored. */
export interface TenantAccessTokensTable {
  id: string;
  tenant_id: string;
  name: string;
  /** HMAC-SHA256 of the token under the application key, hex. */
  token_hash: string;
  /** The masked token, such as `service_3f9a…c2d1`: enough to recognise it, too little to use it. */
  hint: string;
  role: AccessTokenRole;
  status: 'active' | 'revoked';
  /** The user who created the token, who may have left the tenant or been erased since. */
  created_by_id: string;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

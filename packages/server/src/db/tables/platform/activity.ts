import type { Timestamp } from '../../../lib/clock.ts';

// What tenants' applications did, counted in hours and days. No foreign keys: figures outlive the tenants.

export interface ActivityTables {
  activity_points: ActivityPointsTable;
  api_key_requests: ApiKeyRequestsTable;
  rate_limited_tenants: RateLimitedTenantsTable;
}

/** What is counted. */
export interface ActivityCounts {
  /** Of licenses, with whatever verdict. */
  validations: number;
  /** New ones. */
  activations: number;
  /** With a valid key of an active tenant, those that were refused included. */
  integration_requests: number;
  /** Of those, the ones that failed, but for those that the rate limit refused. */
  errors: number;
  rate_limit_rejections: number;
  webhook_attempts_succeeded: number;
  webhook_attempts_failed: number;
}

/** One hour or day (UTC) of a tenant, or of all of them together. */
export interface ActivityPointsTable extends ActivityCounts {
  /** A tenant's id, or `platform`. */
  scope: string;
  interval: 'hour' | 'day';
  bucket_start: Timestamp;
}

/** How many requests came with a key on one day (UTC). */
export interface ApiKeyRequestsTable {
  /** `2026-11-20`. */
  day: string;
  tenant_id: string;
  key_id: string;
  requests: number;
}

/** When the rate limit of a tenant refused a request last. */
export interface RateLimitedTenantsTable {
  tenant_id: string;
  /** The tenant's, so that those that were refused lately can be put into the order of lists. */
  tenant_created_at: Timestamp;
  last_rejected_at: Timestamp;
}

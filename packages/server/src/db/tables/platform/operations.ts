import type { Timestamp } from '../../../lib/clock.ts';

// Without foreign keys, because the figures are kept after a tenant is deleted.

/** The activity of tenants' applications, counted per hour and per day. */
export interface ActivityTables {
  activity_points: ActivityPointsTable;
  verdict_points: VerdictPointsTable;
  api_key_requests: ApiKeyRequestsTable;
  rate_limited_tenants: RateLimitedTenantsTable;
}

/** The counters of an hour or a day. */
export interface ActivityCounts {
  /** Validations of licenses with any verdict. */
  validations: number;
  /** New activations. */
  activations: number;
  /** Requests with a valid API key of an active tenant, including refused ones. */
  integration_requests: number;
  /** Integration requests that failed, except requests that the rate limit refused. */
  errors: number;
  rate_limit_rejections: number;
  webhook_attempts_succeeded: number;
  webhook_attempts_failed: number;
}

/** One hour or day (UTC) of one tenant, or of all tenants together. */
export interface ActivityPointsTable extends ActivityCounts {
  /** A tenant's id, or `platform`. */
  scope: string;
  interval: 'hour' | 'day';
  bucket_start: Timestamp;
}

/** The number of validations of one tenant with one verdict in an hour or a day (UTC). */
export interface VerdictPointsTable {
  tenant_id: string;
  interval: 'hour' | 'day';
  bucket_start: Timestamp;
  /** The code of the verdict. */
  code: string;
  validations: number;
}

/** The number of requests with an API key on one day (UTC). */
export interface ApiKeyRequestsTable {
  /** For example `2026-11-20`. */
  day: string;
  tenant_id: string;
  key_id: string;
  requests: number;
}

/** When the rate limit of a tenant last refused a request. */
export interface RateLimitedTenantsTable {
  tenant_id: string;
  /** The tenant's creation time, so that these tenants can be sorted in the order of lists. */
  tenant_created_at: Timestamp;
  last_rejected_at: Timestamp;
}

/** Feature flags, in the platform database. */
export interface FeatureFlagTables {
  feature_flags: FeatureFlagsTable;
  feature_flag_set: FeatureFlagSetTable;
}

/** A feature flag. */
export interface FeatureFlagsTable {
  id: string;
  /** The unique name that applications use. */
  key: string;
  description: string | null;
  /** The flag's definition in the format of flagd. */
  definition_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** One row (`id` = 1) about all flags together. */
export interface FeatureFlagSetTable {
  id: number;
  /** A value that changes with every change of any flag and never repeats. */
  revision: string;
}

/** The monthly recurring revenue in one currency on one day. */
export interface RevenueDaysTable {
  /** The day in UTC: `2026-11-20`. */
  day: string;
  /** The ISO 4217 code, in lower case. */
  currency: string;
  /** In the currency's minor unit. */
  amount: number;
}

import type { Timestamp } from '../../../lib/clock.ts';

/** One row (`id` = 1): the tenant's settings. The tenant's name is in the platform database. */
export interface SettingsTable {
  id: number;
  /** A name of the IANA time zone database. */
  timezone: string;
  support_email: string | null;
  license_key_prefix: string | null;
  expiring_soon_days: number;
  notification_emails_json: string;
  webhook_event_defaults_json: string;
  retention_audit_days: number;
  retention_usage_days: number;
  retention_deliveries_days: number;
  retention_mails_days: number;
  retention_sale_messages_days: number;
  retention_checks_days: number;
  trials_per_day_max: number;
  trials_per_address_max: number;
}

/**
 * A key that signs offline certificates. One key is active; earlier keys stay until their certificates have expired.
 */
export interface SigningKeysTable {
  /** Thumbprint of the public key (RFC 7638). */
  kid: string;
  status: 'active' | 'retiring';
  public_jwk_json: string;
  /** Encrypted under the application key of `app_key_fingerprint`; null once the key is replaced. */
  sealed_private_jwk: string | null;
  app_key_fingerprint: string | null;
  /** The latest expiry of the certificates that this key signed. */
  certificates_expire_at: Timestamp;
  created_at: Timestamp;
  /** The time until which the public key is published; null while the key is active. */
  retires_at: Timestamp | null;
}

/** One row: the id of the tenant that owns this database. It is checked every time the database is opened. */
export interface TenantIdentityTable {
  tenant_id: string;
  created_at: Timestamp;
}

/** The resources that a plan limits and that are counted in the tenant's database. */
export type CountedResource = 'products' | 'licenses' | 'activations' | 'webhooks';

/** The table of the plan's use, in a tenant's database. */
export interface PlanUseTables {
  plan_use: PlanUseTable;
}

/** The number of existing rows of a resource. It changes in the transaction that creates or deletes one. */
export interface PlanUseTable {
  resource: CountedResource;
  used: number;
}

/** A creation request with an `Idempotency-Key`. Unique per route and key. */
export interface IdempotencyKeysTable {
  /** The id of the attempt that holds the key. An attempt that takes the key over writes its own id. */
  attempt_id: string;
  /** Method and route pattern, such as `POST /api/v1/tenant/licenses`. */
  route: string;
  idempotency_key: string;
  /** HMAC-SHA256 of parameters and body under the application key, hex. */
  request_hash: string;
  /** The time until which an attempt without a response counts as running. */
  lease_expires_at: Timestamp;
  /** Null while the attempt runs. */
  response_status: number | null;
  /** `data` of the response, with null in place of secrets; null while the attempt runs. */
  response_data_json: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
}

/** One of the most recent integration requests that failed after their API key was verified. */
export interface FailedRequestsTable {
  /** Sorts by time. */
  id: string;
  occurred_at: Timestamp;
  request_id: string;
  /** Method and route pattern, which does not contain the license key. */
  route: string;
  status: number;
  code: string;
  api_key_id: string | null;
}

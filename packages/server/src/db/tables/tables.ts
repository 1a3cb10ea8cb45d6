import type { Timestamp } from '../../lib/clock.ts';
import type { WithSearchTerms } from '../search/search-terms.ts';
import type { AccountTables } from './platform/account.ts';
import type { ActivityTables } from './platform/activity.ts';
import type { AuthenticationTables } from './platform/authentication.ts';
import type { BillingTables } from './platform/billing.ts';
import type { AdministrationTables } from './platform/billing-authorizations.ts';
import type { FeatureFlagTables } from './platform/feature-flags.ts';
import type { IdentityTables } from './platform/identity.ts';
import type { PlatformWaitingTables, TenantWaitingTables } from './platform/jobs-and-mails.ts';
import type { MarketingTables } from './platform/marketing.ts';
import type { OnboardingTables } from './platform/onboarding.ts';
import type { PaymentTables } from './platform/payments.ts';
import type { PlanUseTables } from './tenant/plan-use.ts';
import type { WebhookTables } from './tenant/webhooks.ts';

export type {
  AccessTokensTable,
  AdminRole,
  AdminsTable,
  InvitationsTable,
  MembershipsTable,
  TenantRole,
  UsersTable,
} from './platform/identity.ts';
export type { DeadMailsTable, JobsTable, MailsTable } from './platform/jobs-and-mails.ts';

/**
 * The rows of both engines. Portable columns only: text ids, text timestamps, 0/1 integers,
 * 64-bit integers as numbers, JSON as text (columns that end in `_json`).
 */
export type Flag = 0 | 1;

export interface PlatformTables
  extends WithSearchTerms,
    PlatformWaitingTables,
    IdentityTables,
    AuthenticationTables,
    MarketingTables,
    BillingTables,
    PaymentTables,
    AdministrationTables,
    ActivityTables,
    FeatureFlagTables,
    AccountTables,
    OnboardingTables {
  instance: InstanceTable;
  plans: PlansTable;
  tenants: TenantsTable;
  api_keys: ApiKeysTable;
  audit_logs: AuditLogsTable;
}

/** One row (`id` = 1): facts of this installation. */
export interface InstanceTable {
  id: number;
  /** Fingerprint of the application key, so that a start with a wrong key is refused. */
  app_key_fingerprint: string;
  created_at: Timestamp;
}

export interface PlansTable {
  id: string;
  code: string;
  name: string;
  limits_json: string;
  features_json: string;
  /** What it is a plan of; null for one that stands alone. */
  catalog_product_id: string | null;
  /** No longer offered since then; who has it keeps it. */
  archived_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface TenantsTable {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  /** `payment`: suspended because one is missing, and restored by it; null: by an operator, or not suspended. */
  suspended_for: 'payment' | null;
  plan_code: string;
  /** Overrides of the plan's limits. */
  limits_json: string;
  /** `embedded`, or `host:port` of the PostgreSQL server that holds the tenant's database. */
  placement: string;
  /** Database and role name on PostgreSQL; embedded the name of the file, null where it is the id. */
  database_name: string | null;
  /** Password of the tenant's role, encrypted under the application key; null when embedded. */
  database_secret: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  closed_at: Timestamp | null;
  /** The move that is under way, or died; 32 hexadecimal digits. */
  move_id: string | null;
  /** Until then nothing is written to the tenant's database, because it is moved: put off for as long as that lasts. */
  writes_paused_until: Timestamp | null;
}

export interface ApiKeysTable {
  id: string;
  tenant_id: string;
  name: string;
  key_hash: string;
  /** `vx_3f9a…c2d1`: enough to recognise a key, too little to use it. */
  hint: string;
  status: 'active' | 'revoked';
  scopes_json: string;
  allowed_cidrs_json: string;
  rate_limit_per_minute: number | null;
  /** `user`, `admin` or `system`, and the id; null for `system`. */
  created_by_type: 'user' | 'admin' | 'system';
  created_by_id: string | null;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

/** The same shape in the platform database and in each tenant's. */
export interface AuditLogsTable {
  id: string;
  occurred_at: Timestamp;
  event: string;
  actor_type: 'user' | 'admin' | 'api_key' | 'system';
  actor_id: string | null;
  resource_type: string;
  resource_id: string | null;
  request_id: string | null;
  ip: string | null;
  changes_json: string;
}

export interface TenantTables extends WithSearchTerms, WebhookTables, TenantWaitingTables, PlanUseTables {
  tenant_identity: TenantIdentityTable;
  products: ProductsTable;
  policies: PoliciesTable;
  licenses: LicensesTable;
  activations: ActivationsTable;
  signing_keys: SigningKeysTable;
  audit_logs: AuditLogsTable;
  idempotency_keys: IdempotencyKeysTable;
  settings: SettingsTable;
  entitlements: EntitlementsTable;
  entitlement_references: EntitlementReferencesTable;
  usage_totals: UsageTotalsTable;
  usage_events: UsageEventsTable;
  notifications: NotificationsTable;
  failed_requests: FailedRequestsTable;
  expiring_digest: ExpiringDigestTable;
}

/** One row: whose database this is. Checked every time it is opened. */
export interface TenantIdentityTable {
  tenant_id: string;
  created_at: Timestamp;
}

export interface ProductsTable {
  id: string;
  code: string;
  name: string;
  description: string | null;
  platforms_json: string;
  metadata_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface PoliciesTable {
  id: string;
  product_id: string;
  /** Unique within the product. */
  code: string;
  name: string;
  duration_days: number | null;
  expiry_basis: 'creation' | 'first_validation' | 'first_activation';
  expiry_strategy: 'deny' | 'allow';
  grace_days: number;
  renewal_basis: 'from_expiry' | 'from_now';
  maintenance_days: number | null;
  max_activations: number | null;
  /** Null: any number above the limit. */
  activation_overage_percent: number | null;
  require_activation: Flag;
  lease_seconds: number | null;
  max_deactivations: number | null;
  offline_ttl_seconds_max: number;
  key_prefix: string | null;
  entitlements_json: string;
  metadata_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface LicensesTable {
  id: string;
  product_id: string;
  policy_id: string;
  /** Unique among licenses that are not deleted. */
  key: string;
  /** `pending` and `expired` are derived from time, never stored. */
  status: 'active' | 'suspended' | 'revoked';
  holder_name: string | null;
  holder_email: string | null;
  holder_reference: string | null;
  starts_at: Timestamp;
  expires_at: Timestamp | null;
  maintenance_expires_at: Timestamp | null;
  /** Overrides the policy's; null: the policy's holds. */
  max_activations: number | null;
  entitlements_json: string;
  deactivations_count: number;
  last_validated_at: Timestamp | null;
  metadata_json: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  /** The `expires_at` for which the license was counted as expiring; null until then. */
  expiring_noted_for: Timestamp | null;
  /** The `expires_at` of which `license.expired` told; null until then. */
  expired_noted_for: Timestamp | null;
}

export interface ActivationsTable {
  id: string;
  license_id: string;
  /** Unique per license among activations that are not released. */
  fingerprint: string;
  name: string | null;
  hostname: string | null;
  platform: string | null;
  ip: string | null;
  last_heartbeat_at: Timestamp;
  /** Null when the policy has no lease. */
  lease_expires_at: Timestamp | null;
  metadata_json: string;
  created_at: Timestamp;
  /** When it was deactivated, or freed after its lease ran out; null while it counts. */
  released_at: Timestamp | null;
  release_reason: 'deactivated' | 'lease_expired' | 'license_deleted' | null;
}

/** Keys that sign offline certificates. One is active; those before it stay until what they signed has ended. */
export interface SigningKeysTable {
  /** Thumbprint of the public key (RFC 7638). */
  kid: string;
  status: 'active' | 'retiring';
  public_jwk_json: string;
  /** Encrypted under the application key of `app_key_fingerprint`; null once the key is replaced. */
  sealed_private_jwk: string | null;
  app_key_fingerprint: string | null;
  /** No certificate of this key ends later. */
  certificates_expire_at: Timestamp;
  created_at: Timestamp;
  /** Until when the public key is told; null while the key is active. */
  retires_at: Timestamp | null;
}

/** A creation that was sent with an `Idempotency-Key`. Unique per route and key. */
export interface IdempotencyKeysTable {
  /** Of the attempt that holds the key: whoever takes it over writes another. */
  attempt_id: string;
  /** Method and pattern, such as `POST /api/v1/tenant/licenses`. */
  route: string;
  idempotency_key: string;
  /** HMAC-SHA256 of parameters and body under the application key, hex. */
  request_hash: string;
  /** Until then an attempt without an answer counts as running. */
  lease_expires_at: Timestamp;
  /** Null while the attempt runs. */
  response_status: number | null;
  /** `data` of the answer, with null in place of secrets; null while the attempt runs. */
  response_data_json: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
}

/** One row (`id` = 1): what the tenant decides for itself. Its name is in the platform database. */
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
}

/** Something that policies and licenses grant by its code. */
export interface EntitlementsTable {
  id: string;
  code: string;
  name: string;
  type: 'boolean' | 'value' | 'metered';
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A policy or a license that is not deleted, and an entitlement that stands in its list. */
export interface EntitlementReferencesTable {
  /** Of the policy or the license. */
  owner_id: string;
  entitlement_id: string;
}

export type UsageInterval = 'hour' | 'day' | 'week' | 'month' | 'year' | 'none';

/** What a license consumed of an entitlement in one period. Every event counts in one row of each interval. */
export interface UsageTotalsTable {
  license_id: string;
  interval: UsageInterval;
  /** How the period is named in the tenant's timezone; sorts by time (features/usage/period.ts). */
  period: string;
  entitlement_code: string;
  quantity: number;
}

/** That an event was counted, and is not to be counted again. What it added is in the totals. */
export interface UsageEventsTable {
  license_id: string;
  idempotency_key: string;
  recorded_at: Timestamp;
}

export interface NotificationsTable {
  id: string;
  type: string;
  severity: 'info' | 'warning' | 'critical';
  title: string;
  body: string;
  /** Names what happened, so that it is told once; null when it may be told again. */
  occurrence: string | null;
  read_at: Timestamp | null;
  created_at: Timestamp;
}

/** One of the last Integration requests that failed after its key was known. */
export interface FailedRequestsTable {
  /** In the order of time. */
  id: string;
  occurred_at: Timestamp;
  request_id: string;
  /** Method and pattern, which holds no license key. */
  route: string;
  status: number;
  code: string;
  api_key_id: string | null;
}

/** One row (`id` = 1): licenses that were counted as expiring and that no notification has told of yet. */
export interface ExpiringDigestTable {
  id: number;
  license_count: number;
  /** The first few of them, in words. */
  examples_json: string;
}

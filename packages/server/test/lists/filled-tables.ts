import { administrationTables } from './administration-rows.ts';
import { billingTables } from './billing-rows.ts';

// The tables whose query plans the suites check.

/** The filled tables of the platform database. */
export const platformTables = [
  'billing_checkouts',
  'dead_mails',
  'admins',
  'api_keys',
  'tenant_access_tokens',
  'audit_logs',
  'feature_flags',
  'invitations',
  'jobs',
  'memberships',
  'search_terms',
  'onboarding_checkouts',
  'payment_events',
  'tenants',
  'users',
  ...administrationTables,
  ...billingTables,
];

/** The filled tables of a tenant's database. */
export const tenantTables = [
  'activations',
  'audit_logs',
  'bulk_changes',
  'bulk_operations',
  'comparison_differences',
  'comparisons',
  'customer_notes',
  'entitlement_references',
  'entitlements',
  'idempotency_keys',
  'license_batches',
  'license_imports',
  'licenses',
  'events',
  'holder_mails',
  'notifications',
  'offers',
  'policies',
  'products',
  'release_artifacts',
  'release_downloads',
  'releases',
  'sale_messages',
  'sales',
  'search_terms',
  'usage_events',
  'usage_totals',
  'webhook_deliveries',
];

/** The tables that are filled for lists. */
export const listedTables: ReadonlySet<string> = new Set([...platformTables, ...tenantTables]);

/** The tables that are filled for background work. */
export const workedTables: ReadonlySet<string> = new Set([
  'activations',
  'audit_logs',
  'events',
  'idempotency_keys',
  'holder_mails',
  'jobs',
  'licenses',
  'notifications',
  'tenants',
  'usage_events',
  'usage_totals',
  'webhook_deliveries',
  'activity_points',
  'verdict_points',
  'api_key_requests',
  'billing_checkouts',
  'rate_limited_tenants',
  'subscriptions',
]);

import { type Kysely, sql } from 'kysely';
import type { PlatformTables } from '../../src/db/tables/platform-tables.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import type { TestApp } from './harness.ts';

/** Without `billing_authorization_log`: the billing guard records each write that it allows, even if it then fails. */
const platformTables = [
  'plans',
  'tenants',
  'users',
  'memberships',
  'admins',
  'access_tokens',
  'invitations',
  'api_keys',
  'tenant_access_tokens',
  'portal_handles',
  'sales_connections',
  'audit_logs',
  'audit_outbox',
  'onboarding_checkouts',
  'search_terms',
  'feature_flags',
  'account_exports',
  'account_deletions',
  'user_idempotency_keys',
  'mail_links',
  'earlier_mail_links',
  'two_factor',
  'recovery_codes',
  'user_identities',
  'admin_identities',
  'sign_on_attempts',
  'sign_on_codes',
  'email_changes',
  'marketing_subscribers',
  'marketing_withdrawals',
] as const satisfies readonly (keyof PlatformTables)[];

/** Without `failed_requests` and `license_checks`, which are written up to some seconds later. */
const tenantTables = [
  'tenant_identity',
  'products',
  'policies',
  'licenses',
  'activations',
  'signing_keys',
  'audit_logs',
  'idempotency_keys',
  'settings',
  'entitlements',
  'entitlement_references',
  'usage_totals',
  'usage_events',
  'notifications',
  'notification_mails',
  'search_terms',
  'expiring_digest',
  'trials',
  'releases',
  'release_artifacts',
  'release_downloads',
  'license_refusals',
  'customer_notes',
  'trial_requests',
  'connections',
  'offers',
  'sales',
  'sale_messages',
  'sale_licenses',
  'sale_aliases',
  'comparisons',
  'comparison_differences',
  'bulk_operations',
  'bulk_changes',
  'license_batches',
  'license_imports',
  'license_import_rows',
  'webhook_endpoints',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'brand',
  'portal_settings',
  'portal_logins',
  'portal_sessions',
  'holder_languages',
  'unconfirmed_addresses',
  'holder_mails',
  'holder_mail_switches',
  'holder_mail_templates',
  'holder_mail_reminders',
  'holder_mail_settings',
] as const satisfies readonly (keyof TenantTables)[];

export type RowCounts = Readonly<Record<string, number>>;

async function countRows<Tables>(db: Kysely<Tables>, tables: readonly string[], place: string): Promise<RowCounts> {
  const counts = tables.map((table) => sql`(select count(*) from ${sql.table(table)}) as ${sql.ref(table)}`);
  const { rows } = await sql<Record<string, number>>`select ${sql.join(counts)}`.execute(db);
  return Object.fromEntries(
    Object.entries(rows[0] ?? {}).map(([table, count]) => [`${place}.${table}`, Number(count)]),
  );
}

/**
 * Counts the rows of every table of the platform and of one tenant. Mail is not counted, because delivery deletes it.
 */
export async function countAllRows(app: TestApp, tenantId: string): Promise<RowCounts> {
  const { platform, tenants } = app.services;
  const platformCounts = await countRows(platform.query, platformTables, 'platform');
  const tenantCounts = await tenants.withTenantDb(tenantId, (db) => countRows(db.query, tenantTables, 'tenant'));
  return { ...platformCounts, ...tenantCounts };
}

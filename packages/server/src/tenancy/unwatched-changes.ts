import type { UnwatchedChanges } from '../db/sqlite/unwatched-changes.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';

/** Frequent changes on which no verdict depends, except for a `last_validated_at` that each verdict replaces. */
export const unwatchedTenantChanges: UnwatchedChanges<TenantTables> = {
  tables: [
    'events',
    'webhook_deliveries',
    'webhook_attempts',
    'webhook_endpoints',
    'notifications',
    'notification_mails',
    'notification_mail_numbers',
    'failed_requests',
    'idempotency_keys',
    'usage_events',
    'audit_logs',
    'search_terms',
    'plan_use',
    'expiring_digest',
  ],
  columns: ['licenses.last_validated_at'],
};

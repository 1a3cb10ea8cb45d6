import type { AuditLogsTable } from './audit-logs.ts';
import type { WithSearchTerms } from './search-terms.ts';
import type { ActivationsTable } from './tenant/activations.ts';
import type { EntitlementReferencesTable, EntitlementsTable } from './tenant/entitlements.ts';
import type { ExpiringDigestTable } from './tenant/expiring-digest.ts';
import type { FailedRequestsTable } from './tenant/failed-requests.ts';
import type { IdempotencyKeysTable } from './tenant/idempotency-keys.ts';
import type { ImportedResourcesTable } from './tenant/imported-resources.ts';
import type { LicensesTable } from './tenant/licenses.ts';
import type {
  NotificationMailNumbersTable,
  NotificationMailsTable,
  NotificationsTable,
} from './tenant/notifications.ts';
import type { PlanUseTables } from './tenant/plan-use.ts';
import type { PoliciesTable } from './tenant/policies.ts';
import type { ProductsTable } from './tenant/products.ts';
import type { SettingsTable } from './tenant/settings.ts';
import type { SigningKeysTable } from './tenant/signing-keys.ts';
import type { TenantIdentityTable } from './tenant/tenant-identity.ts';
import type { UsageEventsTable, UsageTotalsTable } from './tenant/usage.ts';
import type { WebhookTables } from './tenant/webhooks.ts';

/** The tables of one tenant's database. */
export interface TenantTables extends WithSearchTerms, PlanUseTables, WebhookTables {
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
  notification_mails: NotificationMailsTable;
  notification_mail_numbers: NotificationMailNumbersTable;
  failed_requests: FailedRequestsTable;
  expiring_digest: ExpiringDigestTable;
  imported_resources: ImportedResourcesTable;
}

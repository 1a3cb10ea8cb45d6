import type { AuditLogsTable, WithSearchTerms } from './shared-tables.ts';
import type {
  FailedRequestsTable,
  IdempotencyKeysTable,
  PlanUseTables,
  SettingsTable,
  SigningKeysTable,
  TenantIdentityTable,
} from './tenant/administration.ts';
import type { BulkTables } from './tenant/bulk.ts';
import type { CustomerNotesTable, LicenseChecksTable, LicenseRefusalsTable } from './tenant/checks.ts';
import type { HolderMailTables } from './tenant/holder-mails.ts';
import type { ActivationsTable, LicensesTable, UsageEventsTable, UsageTotalsTable } from './tenant/licenses.ts';
import type {
  ExpiringDigestTable,
  NotificationMailNumbersTable,
  NotificationMailsTable,
  NotificationsTable,
} from './tenant/notifications.ts';
import type { EntitlementReferencesTable, EntitlementsTable, PoliciesTable, ProductsTable } from './tenant/policies.ts';
import type { PortalTables } from './tenant/portal.ts';
import type { ReleaseTables } from './tenant/releases.ts';
import type { SalesTables } from './tenant/sales.ts';
import type { TrialRequestsTable, TrialsTable } from './tenant/trials.ts';
import type { WebhookTables } from './tenant/webhooks.ts';

/** The tables of one tenant's database. */
export interface TenantTables
  extends WithSearchTerms,
    PlanUseTables,
    PortalTables,
    WebhookTables,
    HolderMailTables,
    SalesTables,
    ReleaseTables,
    BulkTables {
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
  trials: TrialsTable;
  trial_requests: TrialRequestsTable;
  license_checks: LicenseChecksTable;
  license_refusals: LicenseRefusalsTable;
  customer_notes: CustomerNotesTable;
}

import type {
  AuditOutboxTable,
  DeadMailsTable,
  JobsTable,
  MailCountsTable,
  MailsTable,
  NotificationDigestsTable,
  UserIdempotencyKeysTable,
} from './platform/background.ts';
import type { BillingTables } from './platform/billing.ts';
import type { AccountTables, AuthenticationTables, IdentityTables, SingleSignOnTables } from './platform/identity.ts';
import type {
  AppKeysTable,
  DemoRowsTable,
  InstanceTable,
  MigrationFailuresTable,
  NodesTable,
} from './platform/installation.ts';
import type { MarketingTables } from './platform/marketing.ts';
import type { ActivityTables, FeatureFlagTables, RevenueDaysTable } from './platform/operations.ts';
import type { AdministrationTables, OnboardingTables, PaymentTables } from './platform/payments.ts';
import type {
  ApiKeysTable,
  PlansTable,
  PortalHandlesTable,
  SalesConnectionsTable,
  TenantAccessTokensTable,
  TenantsTable,
} from './platform/tenants.ts';
import type { AuditLogsTable, WithSearchTerms } from './shared-tables.ts';

/** The tables of the platform database. */
export interface PlatformTables
  extends WithSearchTerms,
    AccountTables,
    ActivityTables,
    AuthenticationTables,
    BillingTables,
    AdministrationTables,
    FeatureFlagTables,
    IdentityTables,
    MarketingTables,
    OnboardingTables,
    PaymentTables,
    SingleSignOnTables {
  audit_logs: AuditLogsTable;
  instance: InstanceTable;
  app_keys: AppKeysTable;
  plans: PlansTable;
  tenants: TenantsTable;
  api_keys: ApiKeysTable;
  tenant_access_tokens: TenantAccessTokensTable;
  portal_handles: PortalHandlesTable;
  sales_connections: SalesConnectionsTable;
  audit_outbox: AuditOutboxTable;
  user_idempotency_keys: UserIdempotencyKeysTable;
  mails: MailsTable;
  dead_mails: DeadMailsTable;
  mail_counts: MailCountsTable;
  jobs: JobsTable;
  migration_failures: MigrationFailuresTable;
  nodes: NodesTable;
  notification_digests: NotificationDigestsTable;
  revenue_days: RevenueDaysTable;
  demo_rows: DemoRowsTable;
}

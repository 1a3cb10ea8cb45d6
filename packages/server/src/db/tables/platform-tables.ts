import type { AuditLogsTable } from './audit-logs.ts';
import type { AccountTables } from './platform/account.ts';
import type { ActivityTables } from './platform/activity.ts';
import type { ApiKeysTable } from './platform/api-keys.ts';
import type { AuditOutboxTable } from './platform/audit-outbox.ts';
import type { AuthenticationTables } from './platform/authentication.ts';
import type { BillingTables } from './platform/billing.ts';
import type { AdministrationTables } from './platform/billing-authorizations.ts';
import type { DemoRowsTable } from './platform/demo-rows.ts';
import type { FeatureFlagTables } from './platform/feature-flags.ts';
import type { IdentityTables } from './platform/identity.ts';
import type { InstanceTable, MigrationFailuresTable, NodesTable } from './platform/installation.ts';
import type { JobsTable } from './platform/jobs.ts';
import type { DeadMailsTable, MailsTable } from './platform/mails.ts';
import type { MarketingTables } from './platform/marketing.ts';
import type { NotificationDigestsTable } from './platform/notification-digests.ts';
import type { OnboardingTables } from './platform/onboarding.ts';
import type { PaymentTables } from './platform/payments.ts';
import type { PlansTable } from './platform/plans.ts';
import type { RevenueDaysTable } from './platform/revenue-days.ts';
import type { SingleSignOnTables } from './platform/single-sign-on.ts';
import type { TenantAccessTokensTable } from './platform/tenant-access-tokens.ts';
import type { TenantsTable } from './platform/tenants.ts';
import type { UserIdempotencyKeysTable } from './platform/user-idempotency-keys.ts';
import type { WithSearchTerms } from './search-terms.ts';

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
  plans: PlansTable;
  tenants: TenantsTable;
  api_keys: ApiKeysTable;
  tenant_access_tokens: TenantAccessTokensTable;
  audit_outbox: AuditOutboxTable;
  user_idempotency_keys: UserIdempotencyKeysTable;
  mails: MailsTable;
  dead_mails: DeadMailsTable;
  jobs: JobsTable;
  migration_failures: MigrationFailuresTable;
  nodes: NodesTable;
  notification_digests: NotificationDigestsTable;
  revenue_days: RevenueDaysTable;
  demo_rows: DemoRowsTable;
}

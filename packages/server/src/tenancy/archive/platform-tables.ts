import type { PlatformTables } from '../../db/tables/platform-tables.ts';

/** The rule for a platform table's rows when a tenant is exported, imported or purged. */
interface PlatformTableRule {
  /** The column that holds the tenant's id; null when rows belong to no tenant. A purge deletes the tenant's rows. */
  readonly tenantColumn: string | null;
  /** True when a tenant's archive contains its rows. An archive of the platform contains all rows of every table. */
  readonly isExported: boolean;
  /** The table that `tenantColumn` references, if that is not `tenants`. The referenced table has a `tenant_id`. */
  readonly through?: keyof PlatformTables;
}

const instance: PlatformTableRule = { tenantColumn: null, isExported: false };
/** Concerns the tenant and this installation or its payment provider, so it is useless in another installation. */
const local: PlatformTableRule = { tenantColumn: 'tenant_id', isExported: false };
const exported: PlatformTableRule = { tenantColumn: 'tenant_id', isExported: true };

/** The rules of all platform tables. A table without a rule is a compile error. */
export const platformTableRules = {
  instance,
  app_keys: instance,
  nodes: instance,
  plans: instance,
  users: instance,
  admins: instance,
  access_tokens: instance,
  user_idempotency_keys: instance,
  audit_logs: instance,
  mails: instance,
  catalog_products: instance,
  plan_prices: instance,
  tenants: { tenantColumn: 'id', isExported: true },
  /** Exported as `members`, with the email address and the name of each user. */
  memberships: exported,
  invitations: exported,
  api_keys: exported,
  tenant_access_tokens: exported,
  portal_handles: exported,
  sales_connections: exported,
  audit_outbox: exported,
  notification_digests: exported,
  /** The sweep creates them again. */
  jobs: { tenantColumn: 'subject_id', isExported: false },
  /** Written again with the tenant's row. */
  search_terms: { tenantColumn: 'owner_id', isExported: false },
  migration_failures: local,
  billing_customers: local,
  subscriptions: local,
  invoices: local,
  invoice_numbers: local,
  refunds: { tenantColumn: 'invoice_id', isExported: false, through: 'invoices' },
  credit_notes: local,
  credit_note_numbers: local,
  billing_credits: local,
  billing_checkouts: local,
  coupons: instance,
  trial_reminders: { tenantColumn: 'subscription_id', isExported: false, through: 'subscriptions' },
  dunning_notices: { tenantColumn: 'subscription_id', isExported: false, through: 'subscriptions' },
  onboarding_checkouts: local,
  /** Reported by the payment provider, without a tenant. */
  subscription_reads: instance,
  invoice_reads: instance,
  orphan_subscriptions: instance,
  payment_events: instance,
  sandbox_clock: instance,
  sandbox_checkouts: instance,
  sandbox_accounts: instance,
  sandbox_invoices: instance,
  sandbox_events: instance,
  sandbox_requests: instance,
  sandbox_coupons: instance,
  activity_points: { tenantColumn: 'scope', isExported: false },
  verdict_points: local,
  api_key_requests: local,
  rate_limited_tenants: local,
  revenue_days: instance,
  billing_authorization_log: instance,
  feature_flags: instance,
  feature_flag_set: instance,
  demo_rows: local,
  mail_links: instance,
  earlier_mail_links: instance,
  two_factor: instance,
  recovery_codes: instance,
  user_identities: instance,
  admin_identities: instance,
  sign_on_attempts: instance,
  sign_on_codes: instance,
  email_changes: instance,
  dead_mails: instance,
  mail_counts: instance,
  account_exports: instance,
  account_export_parts: instance,
  account_deletions: instance,
  marketing_campaigns: instance,
  marketing_subscribers: instance,
  marketing_withdrawals: instance,
} as const satisfies Record<keyof PlatformTables, PlatformTableRule>;

/** Returns a table's rule; undefined for a table that only a newer version of the program knows. */
export function ruleOf(table: string): PlatformTableRule | undefined {
  return platformTableRules[table as keyof PlatformTables];
}

/** The columns of `tenants` that are specific to an installation: the placement and a move. Archives leave them out. */
export const placementColumns: ReadonlySet<string> = new Set([
  'placement',
  'database_name',
  'database_secret',
  'move_id',
  'move_expires_at',
  'writes_paused_until',
]);

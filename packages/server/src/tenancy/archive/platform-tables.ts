import type { PlatformTables } from '../../db/tables/platform-tables.ts';

/** What becomes of a platform table's rows when one tenant is exported, imported or purged. */
interface PlatformTableRule {
  /** The column with the tenant's id; null where the rows belong to no tenant. Purging deletes what has one. */
  readonly tenantColumn: string | null;
  /** Whether an archive of the tenant holds its rows. An archive of the platform holds every row of every table. */
  readonly isExported: boolean;
  /** The table whose ids the column holds, where it is not the tenant's own. */
  readonly through?: keyof PlatformTables;
}

const instance: PlatformTableRule = { tenantColumn: null, isExported: false };
/** Between the tenant and this installation or its payment provider: of no use to another one. */
const local: PlatformTableRule = { tenantColumn: 'tenant_id', isExported: false };
const exported: PlatformTableRule = { tenantColumn: 'tenant_id', isExported: true };

/** Every table of the platform: one that is missing here is an error of types. */
export const platformTableRules = {
  instance,
  plans: instance,
  users: instance,
  admins: instance,
  access_tokens: instance,
  audit_logs: instance,
  mails: instance,
  catalog_products: instance,
  plan_prices: instance,
  tenants: { tenantColumn: 'id', isExported: true },
  /** Exported as members: with the address and the name of the user. */
  memberships: exported,
  invitations: exported,
  api_keys: exported,
  audit_outbox: exported,
  notification_digests: exported,
  /** The sweep makes them anew. */
  jobs: { tenantColumn: 'subject_id', isExported: false },
  /** Made anew with the tenant's row. */
  search_terms: { tenantColumn: 'owner_id', isExported: false },
  billing_customers: local,
  subscriptions: local,
  invoices: local,
  invoice_numbers: local,
  billing_credits: local,
  billing_checkouts: local,
  dunning_notices: { tenantColumn: 'subscription_id', isExported: false, through: 'subscriptions' },
  onboarding_checkouts: local,
  /** Told by the provider: they name no tenant. */
  subscription_reads: instance,
  orphan_subscriptions: instance,
  payment_events: instance,
  sandbox_clock: instance,
  sandbox_checkouts: instance,
  sandbox_accounts: instance,
  sandbox_invoices: instance,
  sandbox_events: instance,
  sandbox_requests: instance,
  activity_points: { tenantColumn: 'scope', isExported: false },
  api_key_requests: local,
  rate_limited_tenants: local,
  billing_authorization_log: instance,
  feature_flags: instance,
  feature_flag_set: instance,
  mail_links: instance,
  two_factor: instance,
  recovery_codes: instance,
  dead_mails: instance,
  account_exports: instance,
  account_export_parts: instance,
  account_deletions: instance,
  marketing_campaigns: instance,
  marketing_subscribers: instance,
  marketing_withdrawals: instance,
} as const satisfies Record<keyof PlatformTables, PlatformTableRule>;

/** The rule of a table by its name in the catalogue; undefined for one that only a newer version knows. */
export function ruleOf(table: string): PlatformTableRule | undefined {
  return platformTableRules[table as keyof PlatformTables];
}

/** Where a tenant's database is, and where it is moved, belongs to the installation: no archive holds it. */
export const placementColumns: ReadonlySet<string> = new Set([
  ...['placement', 'database_name', 'database_secret'],
  ...['move_id', 'writes_paused_until'],
]);

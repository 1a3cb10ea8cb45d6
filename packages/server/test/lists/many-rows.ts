import { type Kysely, type RawBuilder, sql } from 'kysely';
import { metadataKeyTerm, metadataValueTerm } from '../../src/db/search/index-terms.ts';
import { uniqueColumns, valueFilterNames } from '../../src/features/licensing/licenses/columns.ts';
import type { TestTenant } from '../support/accounts.ts';
import { engine, type TestApp } from '../support/harness.ts';
import {
  fillActivity,
  fillAdministration,
  fillSubscriptions,
  insertPlan,
  platformAuditColumns,
} from './administration-rows.ts';
import { fillDeadMails, fillJobs, fillTransient } from './background-rows.ts';
import { fillBilling, fillBillingCheckouts } from './billing-rows.ts';
import { fillBulk } from './bulk-rows.ts';
import { platformTables, tenantTables } from './filled-tables.ts';
import { fillHolderMails, fillNotifications, fillWebhooks } from './many-events.ts';
import {
  at,
  type Columns,
  empty,
  i,
  id,
  idOf,
  insertMany,
  type Kind,
  kinds,
  manyRows,
  microseconds,
  numbered,
  someRows,
  text,
  zero,
} from './numbered-rows.ts';
import { fillCheckouts, fillFlags, fillPaymentEvents } from './platform-rows.ts';
import { fillSales } from './sale-rows.ts';

/** Enough rows that PostgreSQL does not read the whole table to collect the 5,000 rows of a list. */
const licenseRows = 60_000;

function insertTerms(db: Kysely<never>, kind: Kind, count: number, term: RawBuilder<unknown>): Promise<void> {
  return insertMany(db, 'search_terms', count, { term, created_at: at, owner_id: id(kind) });
}

const auditColumns: Columns = {
  id: id(kinds.record),
  occurred_at: at,
  event: sql`case when ${i} % 1000 = 0 then 'LICENSE.RARE' else 'LICENSE.COMMON' end`,
  actor_type: sql`case when ${i} % 1000 = 0 then 'system' else 'user' end`,
  actor_id: numbered('actor-', sql`${i} % 100`),
  resource_type: sql`case when ${i} % 1000 = 0 then 'settings' else 'license' end`,
  resource_id: numbered('resource-', sql`${i} % 10000`),
  request_id: numbered('request-'),
  changes_json: text('[]'),
};

async function fillCatalog(db: Kysely<never>, count: number): Promise<void> {
  const archived_at = sql`case when ${i} % 1000 = 500 then ${at} end`;
  const shared = { metadata_json: empty, archived_at, created_at: at, updated_at: at };
  await insertMany(db, 'products', count, {
    id: id(kinds.product),
    code: numbered('product-'),
    name: text('Editor'),
    platforms_json: text('[]'),
    ...shared,
  });
  await insertTerms(db, kinds.product, count, numbered('product:product-'));
  await insertTerms(db, kinds.product, count, text('product:editor'));
  await insertMany(db, 'policies', count, {
    id: id(kinds.policy),
    product_id: sql`case when ${i} % 100 = 0 then ${text(idOf('product', 2))} else ${text(idOf('product', 1))} end`,
    code: numbered('policy-'),
    name: text('Yearly'),
    expiry_basis: text('creation'),
    expiry_strategy: text('deny'),
    grace_days: zero,
    renewal_basis: text('from_now'),
    require_activation: zero,
    offline_ttl_seconds_max: zero,
    entitlements_json: text('[]'),
    ...shared,
  });
  await insertTerms(db, kinds.policy, count, numbered('policy:policy-'));
  await insertTerms(db, kinds.policy, count, text('policy:yearly'));
}

/** A unique column has another value in each row, any other column the same value in a few rows. */
function numberOf(column: string): RawBuilder<unknown> {
  return uniqueColumns.some(({ name }) => name === column) ? sql`${i}` : sql`${i} % 10000`;
}

async function fillLicenses(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'licenses', licenseRows, {
    id: id(kinds.license),
    product_id: sql`case when ${i} % 100 = 0 then ${text(idOf('product', 2))} else ${text(idOf('product', 1))} end`,
    policy_id: sql`case when ${i} % 100 = 0 then ${text(idOf('policy', 2))} else ${text(idOf('policy', 1))} end`,
    ...Object.fromEntries(valueFilterNames.map((name) => [name, numbered(`${name}-`, numberOf(name))])),
    status: sql`case when ${i} % 100 = 0 then 'revoked' when ${i} % 100 = 1 then 'suspended' else 'active' end`,
    starts_at: sql`case when ${i} % 500 = 3 then '2099-01-01T00:00:00.000000Z' else ${at} end`,
    expires_at: sql`case when ${i} % 500 = 5 then '2027-01-08T00:00:00.000000Z'
      when ${i} % 3 = 0 then '2026-02-01T00:00:00.000000Z'
      when ${i} % 1000 = 4 then '2026-01-15T00:00:00.000000Z'
      when ${i} % 3 = 1 then '2100-01-01T00:00:00.000000Z' end`,
    // One of a thousand licenses belongs to a batch.
    batch_id: sql`case when ${i} % 1000 = 7 then ${text(idOf('record', 1))} end`,
    entitlements_json: text('[]'),
    deactivations_count: zero,
    metadata_json: empty,
    created_at: at,
    updated_at: at,
  });
  await insertMany(db, 'activations', manyRows, {
    id: id(kinds.activation),
    license_id: sql`${sql.lit('00000003-0000-7000-8000-')} || substr(cast(1000000000000 + ${i} % 10000 + 1 as text), 2)`,
    fingerprint: numbered('machine-'),
    last_heartbeat_at: at,
    lease_expires_at: sql`case when ${i} % 2 = 0 then '2026-02-01T00:00:00.000000Z' when ${i} % 1000 = 1
      then '2026-02-01T00:00:00.000000Z' else '2100-01-01T00:00:00.000000Z' end`,
    metadata_json: empty,
    created_at: at,
    released_at: sql`case when ${i} % 2 = 0 then '2026-02-01T00:00:00.000000Z' end`,
    release_reason: sql`case when ${i} % 1000 = 0 then 'deactivated' when ${i} % 2 = 0 then 'lease_expired' end`,
  });
}

/** Inserts terms of keys with a common prefix, of rare names, and of frequent and rare metadata. */
async function fillLicenseTerms(db: Kysely<never>): Promise<void> {
  await insertTerms(db, kinds.license, licenseRows, numbered('license:acme-'));
  await insertTerms(db, kinds.license, licenseRows, numbered('license:smith', sql`${i} % 5000`));
  await insertTerms(db, kinds.license, licenseRows, text(metadataKeyTerm('plan')));
  await insertTerms(db, kinds.license, licenseRows / 100, text(metadataValueTerm('plan', 'gold')));
}

async function fillTenants(db: Kysely<never>): Promise<void> {
  await insertPlan(db, 'rare');
  await insertMany(db, 'tenants', someRows, {
    id: id(kinds.tenant),
    name: text('Wholesale'),
    status: sql`case when ${i} % 1000 = 0 then 'suspended' else 'active' end`,
    plan_code: sql`case when ${i} % 1000 = 1 then 'rare' else 'free' end`,
    limits_json: empty,
    placement: text('nowhere'),
    created_at: at,
    updated_at: at,
  });
}

async function fillPlatform(db: Kysely<never>, tenantId: string): Promise<void> {
  await insertMany(db, 'audit_logs', manyRows, { ...auditColumns, ...platformAuditColumns });
  await insertMany(db, 'api_keys', someRows, {
    id: id(kinds.apiKey),
    tenant_id: text(tenantId),
    name: text('Key'),
    key_hash: numbered('hash-'),
    hint: text('vx_'),
    status: sql`case when ${i} % 1000 = 0 then 'revoked' else 'active' end`,
    scopes_json: text('[]'),
    allowed_cidrs_json: text('[]'),
    created_by_type: text('system'),
    created_at: at,
    expires_at: sql`case when ${i} % 1000 = 1 then '2026-02-01T00:00:00.000000Z' end`,
  });
  await insertMany(db, 'tenant_access_tokens', someRows, {
    id: id(kinds.accessToken),
    tenant_id: text(tenantId),
    name: text('Token'),
    token_hash: numbered('hash-'),
    hint: text('service_'),
    role: text('viewer'),
    status: sql`case when ${i} % 1000 = 0 then 'revoked' else 'active' end`,
    created_by_id: id(kinds.user),
    created_at: at,
    expires_at: sql`case when ${i} % 1000 = 1 then '2026-02-01T00:00:00.000000Z' end`,
  });
  await insertTerms(db, kinds.tenant, someRows, text('tenant:wholesale'));
  await insertTerms(db, kinds.tenant, someRows, numbered('tenant:number'));
  await insertTerms(db, kinds.tenant, someRows, sql`'tenant:' || ${id(kinds.tenant)}`);
  await fillFlags(db, someRows);
  await insertMany(db, 'admins', someRows, {
    id: id(kinds.admin),
    email: numbered('admin'),
    name: text('Grace'),
    role: sql`case when ${i} % 1000 = 0 then 'billing_admin' else 'admin' end`,
    created_at: at,
    updated_at: at,
  });
}

async function fillEntitlements(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'entitlements', someRows, {
    id: id(kinds.entitlement),
    code: numbered('entitlement-'),
    name: text('Exports'),
    type: sql`case when ${i} % 1000 = 0 then 'metered' when ${i} % 1000 = 1 then 'value' else 'boolean' end`,
    created_at: at,
    updated_at: at,
  });
  await insertMany(db, 'entitlement_references', someRows, {
    owner_id: id(kinds.license),
    entitlement_id: text(idOf('entitlement', 1)),
  });
}

/** Inserts the usage of a hundred licenses on 200 days, and the hourly usage of one license. */
async function fillUsage(db: Kysely<never>): Promise<void> {
  const licenseOf = (number: RawBuilder<unknown>) =>
    sql`${sql.lit('00000003-0000-7000-8000-')} || substr(cast(1000000000000 + ${number} as text), 2)`;
  const day = (number: RawBuilder<unknown>) =>
    sql`'2025-' || substr(cast(101 + ${number} / 20 as text), 2) || '-' || substr(cast(101 + ${number} % 20 as text), 2)`;
  await insertMany(db, 'usage_totals', manyRows, {
    license_id: licenseOf(sql`(${i} % 100 + 1)`),
    interval: text('day'),
    period: day(sql`(${i} / 100)`),
    entitlement_code: sql`case when ${i} % 1000 = 7 then 'scans' else 'exports' end`,
    quantity: sql`1`,
  });
  await insertMany(db, 'usage_totals', someRows, {
    license_id: licenseOf(sql`7`),
    interval: text('hour'),
    period: sql`${day(sql`(${i} / 1000)`)} || 'T' || cast(10 + ${i} / 100 % 10 as text) || ':'
      || substr(cast(100 + ${i} % 60 as text), 2) || 'Z'`,
    entitlement_code: numbered('code-'),
    quantity: sql`1`,
  });
}

/** Inserts members and invitations of the tenant and of others. The invitations are open, accepted or expired. */
async function fillMembers(db: Kysely<never>, tenantId: string): Promise<void> {
  const role = sql`case when ${i} % 1000 = 0 then 'owner' when ${i} % 1000 = 4 then 'viewer' else 'admin' end`;
  const justNow = new Date(Date.now() - 1000).toISOString().slice(0, 20);
  const isOpen = sql`${i} % 4 = 0`;
  await insertMany(db, 'users', someRows, {
    id: id(kinds.user),
    email: sql`${numbered('member')} || '@example.com'`,
    name: text('Ada'),
    created_at: at,
    updated_at: at,
  });
  for (const [prefix, tenant] of [
    ['0', text(tenantId)],
    ['1', id(kinds.tenant)],
  ] as const) {
    await insertMany(db, 'memberships', someRows, {
      id: sql`${sql.lit(prefix)} || substr(${id(kinds.membership)}, 2)`,
      tenant_id: tenant,
      user_id: id(kinds.user),
      role,
      created_at: at,
    });
    await insertMany(db, 'invitations', someRows, {
      id: sql`${sql.lit(prefix)} || substr(${id(kinds.invitation)}, 2)`,
      kind: text('tenant'),
      email: sql`${numbered('invited')} || '@example.com'`,
      tenant_id: tenant,
      role,
      token_hash: numbered(`token-${prefix}-`),
      created_at: sql`case when ${isOpen} then ${sql.lit(justNow)} || ${microseconds} else ${at} end`,
      expires_at: sql`case when ${isOpen} then '2100-01-01T00:00:00.000000Z' else '2026-01-08T00:00:00.000000Z' end`,
      accepted_at: sql`case when ${i} % 4 = 1 then ${at} end`,
    });
  }
}

/** Fills a tenant's database and the platform's by SQL, and updates the statistics of the planner. */
async function fillDatabases(
  app: TestApp,
  tenant: TestTenant,
  fill: Readonly<Record<'platform' | 'tenant', (db: Kysely<never>) => Promise<void>>>,
): Promise<void> {
  const platform = app.services.platform.query as unknown as Kysely<never>;
  await prepareToFill(platform);
  await fill.platform(platform);
  await analyze(platform, platformTables);
  await app.services.tenants.withTenantDb(tenant.id, async ({ query }) => {
    const db = query as unknown as Kysely<never>;
    await prepareToFill(db);
    await fill.tenant(db);
    await analyze(db, tenantTables);
  });
}

/** Makes many rows of everything that is listed. */
export function fillForLists(app: TestApp, tenant: TestTenant): Promise<void> {
  return fillDatabases(app, tenant, {
    async platform(db) {
      await fillTenants(db);
      await fillPlatform(db, tenant.id);
      await fillMembers(db, tenant.id);
      await fillJobs(db);
      await fillDeadMails(db);
      await fillAdministration(db);
      await fillCheckouts(db, tenant.owner.id);
      await fillPaymentEvents(db);
      await fillBilling(db, tenant.id);
    },
    async tenant(db) {
      await fillCatalog(db, manyRows);
      await fillLicenses(db);
      await fillLicenseTerms(db);
      await fillEntitlements(db);
      await fillUsage(db);
      await fillNotifications(db);
      await fillWebhooks(db);
      await fillHolderMails(db);
      await fillSales(db);
      await fillBulk(db);
      await fillNotes(db);
      await fillReleases(db);
      await insertMany(db, 'audit_logs', manyRows, auditColumns);
    },
  });
}

/** The releases of one product; a thousandth are drafts of another channel. */
async function fillReleases(db: Kysely<never>): Promise<void> {
  const rare = sql`${i} % 1000 = 1`;
  await insertMany(db, 'releases', manyRows, {
    id: id(kinds.record),
    product_id: text(idOf('product', 1)),
    version: numbered('1.0.'),
    version_sort: numbered('', sql`(10000000 + ${i})`),
    channel: sql`case when ${rare} then 'rare' else 'stable' end`,
    status: sql`case when ${rare} then 'draft' else 'published' end`,
    notes: text('Notes'),
    released_at: at,
    minimum_entitlements_json: text('["pro"]'),
    created_at: at,
    updated_at: at,
  });
  await insertMany(db, 'release_artifacts', manyRows, {
    id: id(kinds.record),
    release_id: id(kinds.record),
    position: zero,
    platform: text('windows'),
    arch: text('x64'),
    file_name: text('Editor.exe'),
    url: text('https://downloads.example.com/Editor.exe'),
    size: zero,
    sha256: text('0'),
  });
  await insertMany(db, 'release_downloads', manyRows, {
    release_id: id(kinds.record),
    day: text('2026-01-01'),
    count: zero,
  });
}

/** The customer whose notes are listed. Few of the notes are about it. */
export const notedCustomer = 'holder_email-7';

async function fillNotes(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'customer_notes', manyRows, {
    id: id(kinds.record),
    email_key: numbered('holder_email-', sql`(${i} % 100)`),
    text: text('A note.'),
    author_type: text('user'),
    author_id: text(idOf('user', 1)),
    created_at: at,
  });
}

/** Inserts many rows into every table that background jobs search. */
export function fillForJobs(app: TestApp, tenant: TestTenant): Promise<void> {
  return fillDatabases(app, tenant, {
    async platform(db) {
      await fillTenants(db);
      await fillSubscriptions(db);
      await fillBillingCheckouts(db);
      await fillJobs(db);
      await fillActivity(db);
    },
    async tenant(db) {
      await fillCatalog(db, 2);
      await fillLicenses(db);
      await fillUsage(db);
      await fillTransient(db);
      await fillNotifications(db);
      await fillWebhooks(db);
      await fillHolderMails(db);
      await fillSales(db);
      await fillBulk(db);
      await insertMany(db, 'audit_logs', manyRows, auditColumns);
    },
  });
}

/** Sets a large cache and disables flushing, because the whole database is filled now and deleted afterwards. */
export async function prepareToFill(db: Kysely<never>): Promise<void> {
  if (engine === 'postgres') return;
  await sql`pragma cache_size = -262144`.execute(db);
  await sql`pragma synchronous = off`.execute(db);
}

/** Updates PostgreSQL's statistics, as autovacuum would a minute later. SQLite plans without statistics. */
export async function analyze(db: Kysely<never>, tables: readonly string[]): Promise<void> {
  if (engine === 'sqlite') return;
  for (const table of tables) await sql`vacuum analyze ${sql.table(table)}`.execute(db);
}

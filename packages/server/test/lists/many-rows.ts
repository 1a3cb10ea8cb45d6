import { type Kysely, type RawBuilder, sql } from 'kysely';
import { metadataKeyTerm, metadataValueTerm } from '../../src/db/terms.ts';
import type { TestTenant } from '../support/accounts.ts';
import { engine, type TestApp } from '../support/harness.ts';

const manyRows = 100_000;
/** Enough that no planner reads them all, where a test of 100,000 would only take longer. */
const someRows = 20_000;

type Columns = Readonly<Record<string, RawBuilder<unknown>>>;

const i = sql.ref('i');
const id = (kind: number) =>
  sql`${sql.lit(`0000000${kind}-0000-7000-8000-`)} || substr(cast(1000000000000 + ${i} as text), 2)`;
const at = sql`'2026-01-01T00:00:00.' || substr(cast(1000000 + ${i} as text), 2) || 'Z'`;
const text = (value: string) => sql`${sql.lit(value)}`;
const numbered = (prefix: string, number: RawBuilder<unknown> = sql`${i}`) =>
  sql`${sql.lit(prefix)} || cast(${number} as text)`;
const zero = sql`0`;
const empty = text('{}');

/** The ids of the `number`th row of each kind. */
export const idOf = (kind: keyof typeof kinds, number: number) =>
  `0000000${kinds[kind]}-0000-7000-8000-${String(number).padStart(12, '0')}`;
const kinds = { product: 1, policy: 2, license: 3, activation: 4, record: 5, apiKey: 6, tenant: 7, admin: 8 } as const;

/** The rows of one statement: none may take as long as the service lets a statement run. */
const rowsPerStatement = 20_000;

async function insertMany(db: Kysely<never>, table: string, count: number, columns: Columns): Promise<void> {
  const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
  for (let first = 1; first <= count; first += rowsPerStatement) {
    const last = Math.min(count, first + rowsPerStatement - 1);
    await sql`
      insert into ${sql.table(table)} (${names})
      with recursive numbers(i) as (
        select ${sql.lit(first)} union all select i + 1 from numbers where i < ${sql.lit(last)}
      )
      select ${sql.join(Object.values(columns))} from numbers`.execute(db);
  }
}

function insertTerms(db: Kysely<never>, kind: number, count: number, term: RawBuilder<unknown>): Promise<void> {
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

async function fillCatalog(db: Kysely<never>): Promise<void> {
  const shared = { metadata_json: empty, created_at: at, updated_at: at };
  await insertMany(db, 'products', someRows, {
    id: id(kinds.product),
    code: numbered('product-'),
    name: text('Editor'),
    platforms_json: text('[]'),
    ...shared,
  });
  await insertTerms(db, kinds.product, someRows, numbered('product:product-'));
  await insertTerms(db, kinds.product, someRows, text('product:editor'));
  await insertMany(db, 'policies', someRows, {
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
  await insertTerms(db, kinds.policy, someRows, numbered('policy:policy-'));
  await insertTerms(db, kinds.policy, someRows, text('policy:yearly'));
}

async function fillLicenses(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'licenses', manyRows, {
    id: id(kinds.license),
    product_id: sql`case when ${i} % 100 = 0 then ${text(idOf('product', 2))} else ${text(idOf('product', 1))} end`,
    policy_id: sql`case when ${i} % 100 = 0 then ${text(idOf('policy', 2))} else ${text(idOf('policy', 1))} end`,
    key: numbered('ACME-'),
    status: sql`case when ${i} % 100 = 0 then 'revoked' when ${i} % 100 = 1 then 'suspended' else 'active' end`,
    holder_email: numbered('holder', sql`${i} % 50000`),
    holder_reference: numbered('reference', sql`${i} % 50000`),
    starts_at: sql`case when ${i} % 500 = 3 then '2099-01-01T00:00:00.000000Z' else ${at} end`,
    expires_at: sql`case when ${i} % 3 = 0 then '2026-02-01T00:00:00.000000Z' when ${i} % 1000 = 4
      then '2026-01-15T00:00:00.000000Z' when ${i} % 3 = 1 then '2100-01-01T00:00:00.000000Z' end`,
    entitlements_json: text('[]'),
    deactivations_count: zero,
    metadata_json: empty,
    created_at: at,
    updated_at: at,
  });
  // A key that all begin alike, a name that few have, and metadata of all and of a few.
  await insertTerms(db, kinds.license, manyRows, numbered('license:acme-'));
  await insertTerms(db, kinds.license, manyRows, numbered('license:smith', sql`${i} % 5000`));
  await insertTerms(db, kinds.license, manyRows, text(metadataKeyTerm('plan')));
  await insertTerms(db, kinds.license, manyRows / 100, text(metadataValueTerm('plan', 'gold')));
  await insertMany(db, 'activations', manyRows, {
    id: id(kinds.activation),
    license_id: sql`${sql.lit('00000003-0000-7000-8000-')} || substr(cast(1000000000000 + ${i} % 50000 + 1 as text), 2)`,
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

async function fillPlatform(db: Kysely<never>, tenantId: string): Promise<void> {
  await insertMany(db, 'audit_logs', someRows, auditColumns);
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
  await insertMany(db, 'tenants', someRows, {
    id: id(kinds.tenant),
    name: text('Wholesale'),
    status: sql`case when ${i} % 1000 = 0 then 'suspended' else 'active' end`,
    plan_code: text('free'),
    limits_json: empty,
    placement: text('nowhere'),
    created_at: at,
    updated_at: at,
  });
  await insertTerms(db, kinds.tenant, someRows, text('tenant:wholesale'));
  await insertTerms(db, kinds.tenant, someRows, numbered('tenant:number'));
  await insertTerms(db, kinds.tenant, someRows, sql`'tenant:' || ${id(kinds.tenant)}`);
  await insertMany(db, 'admins', someRows, {
    id: id(kinds.admin),
    email: numbered('admin'),
    name: text('Grace'),
    role: text('admin'),
    created_at: at,
    updated_at: at,
  });
}

/** The tables that `fillDatabases` fills. */
export const bigTables: ReadonlySet<string> = new Set([
  'activations',
  'admins',
  'api_keys',
  'audit_logs',
  'licenses',
  'policies',
  'products',
  'search_terms',
  'tenants',
]);

/** Fills a tenant's database and the platform's, by SQL alone: what it writes is what the planners look at. */
export async function fillDatabases(app: TestApp, tenant: TestTenant): Promise<void> {
  const platform = app.services.platform.query as unknown as Kysely<never>;
  await prepareToFill(platform);
  await fillPlatform(platform, tenant.id);
  await app.services.tenants.withTenantDb(tenant.id, async ({ query }) => {
    const db = query as unknown as Kysely<never>;
    await prepareToFill(db);
    await fillCatalog(db);
    await fillLicenses(db);
    await insertMany(db, 'audit_logs', manyRows, auditColumns);
    await analyze(db, ['activations', 'audit_logs', 'licenses', 'policies', 'products', 'search_terms']);
  });
  await analyze(platform, ['admins', 'api_keys', 'audit_logs', 'search_terms', 'tenants']);
}

/** The default cache is made for many small databases; here one is filled at once, and nobody needs it tomorrow. */
async function prepareToFill(db: Kysely<never>): Promise<void> {
  if (engine === 'postgres') return;
  await sql`pragma cache_size = -262144`.execute(db);
  await sql`pragma synchronous = off`.execute(db);
}

/** PostgreSQL does so by itself after such a change, a minute later; SQLite plans without figures. */
async function analyze(db: Kysely<never>, tables: readonly string[]): Promise<void> {
  if (engine === 'sqlite') return;
  for (const table of tables) await sql`vacuum analyze ${sql.table(table)}`.execute(db);
}

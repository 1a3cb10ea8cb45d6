import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  at,
  type Columns,
  empty,
  i,
  id,
  insertMany,
  kinds,
  manyRows,
  microseconds,
  numbered,
  someRows,
  text,
} from './numbered-rows.ts';

/** The columns that differ between audit records of the platform and of tenants. */
export const platformAuditColumns: Columns = {
  event: sql`case when ${i} % 1000 = 0 then 'LICENSE.RARE' when ${i} % 1000 = 1 then 'TENANT.CLOSED' else 'LICENSE.COMMON' end`,
  ip: numbered('198.18.0.', sql`${i} % 100`),
};

/** Inserts a plan to which tenants can refer. */
export async function insertPlan(db: Kysely<never>, code: string): Promise<void> {
  const limits = sql`(select limits_json from plans where code = 'free')`;
  await insertMany(db, 'plans', 1, {
    id: id(kinds.plan),
    code: text(code),
    name: text(code),
    limits_json: limits,
    features_json: empty,
    created_at: at,
    updated_at: at,
  });
}

/** The tables that are filled for administration. */
export const administrationTables = [
  'activity_points',
  'api_key_requests',
  'billing_authorization_log',
  'rate_limited_tenants',
  'subscriptions',
  'verdict_points',
];

/** Fills the tables of the administration. */
export async function fillAdministration(db: Kysely<never>): Promise<void> {
  // Filled first: the test server writes its log late, and until then vacuum does not count the rows as visible to all.
  await fillSubscriptions(db);
  await insertMany(db, 'billing_authorization_log', manyRows, {
    id: id(kinds.record),
    occurred_at: at,
    admin_id: sql`${sql.lit('00000008-0000-7000-8000-')} || substr(cast(1000000000000 + ${i} % 100 as text), 2)`,
    role: text('admin'),
    method: text('POST'),
    path: text('/api/v1/admin/billing/credits'),
    allowed: sql`case when ${i} % 1000 = 0 then 0 else 1 end`,
    request_id: numbered('request-'),
    ip: text('198.18.0.1'),
  });
  await fillActivity(db);
}

const hourOf = (number: RawBuilder<unknown>) =>
  sql`'2025-12-' || substr(cast(101 + ${number} / 24 as text), 2) || 'T' || substr(cast(100 + ${number} % 24 as text), 2) || ':00:00.000000Z'`;
const tenantOf = (number: RawBuilder<unknown>) =>
  sql`${sql.lit('00000007-0000-7000-8000-')} || substr(cast(1000000000000 + ${number} as text), 2)`;
const one = sql`1`;
const counted: Columns = {
  validations: one,
  activations: one,
  integration_requests: one,
  errors: one,
  rate_limit_rejections: one,
  webhook_attempts_succeeded: one,
  webhook_attempts_failed: one,
};

/**
 * Inserts some hours and a day of every tenant, all hours of the platform, and a rate limit rejection of each tenant.
 */
export async function fillActivity(db: Kysely<never>): Promise<void> {
  const hour = { interval: text('hour'), ...counted };
  await insertMany(db, 'activity_points', 3 * someRows, {
    scope: tenantOf(sql`(${i} % ${sql.lit(someRows)} + 1)`),
    bucket_start: hourOf(sql`(700 + ${i} / ${sql.lit(someRows)})`),
    ...hour,
  });
  await insertMany(db, 'activity_points', someRows, {
    scope: tenantOf(i),
    ...hour,
    interval: text('day'),
    bucket_start: text('2025-12-30T00:00:00.000000Z'),
  });
  await insertMany(db, 'activity_points', 743, { scope: text('platform'), bucket_start: hourOf(i), ...hour });
  // Old points, which are few compared with the others.
  await insertMany(db, 'activity_points', 2000, {
    scope: tenantOf(sql`(${i} % 100 + 1)`),
    bucket_start: hourOf(sql`(${i} / 100)`),
    ...hour,
  });
  const verdict = { interval: text('hour'), validations: sql`1` };
  await insertMany(db, 'verdict_points', 3 * someRows, {
    tenant_id: tenantOf(sql`(${i} % ${sql.lit(someRows)} + 1)`),
    bucket_start: hourOf(sql`(700 + ${i} / ${sql.lit(someRows)})`),
    code: text('LICENSE.VALID'),
    ...verdict,
  });
  await insertMany(db, 'verdict_points', 2000, {
    tenant_id: tenantOf(sql`(${i} % 100 + 1)`),
    bucket_start: hourOf(sql`(${i} / 100)`),
    code: text('LICENSE.EXPIRED'),
    ...verdict,
  });
  for (const [day, count] of [
    ['2025-12-31', 2000],
    ['2026-02-25', manyRows],
  ] as const) {
    await insertMany(db, 'api_key_requests', count, {
      day: text(day),
      tenant_id: tenantOf(sql`(${i} % 500 + 1)`),
      key_id: id(kinds.apiKey),
      requests: i,
    });
  }
  const justNow = new Date(Date.now() - 1000).toISOString().slice(0, 20);
  await insertMany(db, 'rate_limited_tenants', someRows, {
    tenant_id: id(kinds.tenant),
    tenant_created_at: at,
    last_rejected_at: sql`case when ${i} % 10 = 0 then '2025-12-01T00:00:00.' else ${sql.lit(justNow)} end || ${microseconds}`,
  });
}

/**
 * Inserts one subscription of every tenant. Half of them have ended; of the others few are due for a check and few were
 * not synced for long.
 */
export async function fillSubscriptions(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'subscriptions', someRows, {
    id: id(kinds.record),
    tenant_id: id(kinds.tenant),
    provider: text('sandbox'),
    provider_subscription_id: numbered('subscription-'),
    status: sql`case when ${i} % 2 = 0 then 'canceled' when ${i} % 1000 = 1 then 'past_due' else 'active' end`,
    plan_code: text('free'),
    interval: sql`case when ${i} % 3 = 0 then 'year' else 'month' end`,
    currency: sql`case when ${i} % 5 = 0 then 'usd' else 'eur' end`,
    amount: i,
    past_due_since: sql`case when ${i} % 1000 = 1 then ${at} end`,
    next_check_at: sql`case when ${i} % 2 = 0 then null when ${i} % 100 = 1 then ${at} else '2100-01-01T00:00:00.000000Z' end`,
    synced_at: sql`case when ${i} % 100 = 3 then ${at} else '2100-01-01T00:00:00.000000Z' end`,
    current_period_starts_at: at,
    current_period_ends_at: at,
    cancel_at_period_end: sql`0`,
    created_at: at,
    updated_at: at,
  });
}

import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { liveRoutes } from '../support/routes.ts';
import { listedTables } from './filled-tables.ts';
import { fillForLists } from './many-rows.ts';
import { idOf } from './numbered-rows.ts';
import { type PlanWatch, planProblems, watchPlans } from './query-plans.ts';

/** A query string, or one that is allowed to walk an index because the limit ends the walk soon. */
type Case = string | { readonly query: string; readonly walk: string };

interface List {
  /** The index that has the whole list in its order. */
  readonly walk: string;
  /** Each filter with values that few rows have, and with values that many have; and filters together. */
  readonly cases: readonly Case[];
}

const walking = (walk: string, ...queries: readonly string[]): Case[] => queries.map((query) => ({ query, walk }));

// Where nearly all rows pass, PostgreSQL prefers the order of the list to the index of the filter, and rightly so.
const auditCases: readonly Case[] = [
  ...walking('audit_logs_occurred_at_id', 'event=LICENSE.COMMON', 'actor_type=user', 'resource_type=license'),
  'event=LICENSE.RARE',
  'actor_type=system',
  'actor_id=actor-5',
  'resource_type=settings',
  'resource_id=resource-7',
  'request_id=request-77',
  'from=2026-01-01T00:00:00.019Z',
  'to=2026-01-01T00:00:00.001Z',
  'from=2026-01-01T00:00:00.015Z&to=2026-01-01T00:00:00.016Z',
  'event=LICENSE.RARE&actor_type=system&from=2026-01-01T00:00:00.015Z',
];

/** Every list of the service. The admin's door to a tenant has the same lists as the tenant's. */
const lists: Readonly<Record<string, List>> = {
  '/api/v1/tenant/products': {
    walk: 'products_created_at_id',
    cases: [
      'code=product-7',
      'q=product-77',
      'q=edi%20product-77',
      ...walking('products_created_at_id', 'q=edi', 'q=edi%20pro'),
    ],
  },
  '/api/v1/tenant/policies': {
    walk: 'policies_created_at_id',
    cases: [
      `product_id=${idOf('product', 2)}`,
      'q=policy-77',
      'code=policy-7',
      ...walking('policies_created_at_id', 'q=year', `product_id=${idOf('product', 1)}`),
    ],
  },
  '/api/v1/tenant/licenses': {
    walk: 'licenses_created_at_id',
    cases: [
      'status=suspended',
      'status=revoked',
      'status=pending',
      `product_id=${idOf('product', 2)}`,
      `policy_id=${idOf('policy', 2)}`,
      'key=ACME-77',
      'holder_email=holder7',
      'holder_reference=reference7',
      'expires_before=2026-01-20T00:00:00Z',
      'expires_after=2026-01-10T00:00:00Z&expires_before=2026-01-20T00:00:00Z',
      'metadata_key=plan',
      'metadata_key=plan&metadata_value=gold',
      'q=smith77',
      'q=acme-777',
      'q=smith77%20acme-1',
      'q=smith77&status=active',
      'q=smith77&metadata_key=plan',
      'metadata_key=plan&status=revoked',
      'metadata_key=plan&q=acme',
      'status=pending&q=acme',
      'status=expired&expires_before=2026-01-20T00:00:00Z',
      `product_id=${idOf('product', 2)}&status=revoked`,
      `product_id=${idOf('product', 2)}&q=acme`,
      'holder_email=holder7&q=acme',
      ...walking(
        'licenses_created_at_id',
        'status=active',
        'status=expired',
        `product_id=${idOf('product', 1)}`,
        'q=acme',
        'q=sm',
        'q=sm%20ac',
        'expires_before=2090-01-01T00:00:00Z',
        'expires_after=2026-01-10T00:00:00Z',
      ),
    ],
  },
  '/api/v1/tenant/activations': {
    walk: 'activations_created_at_id',
    cases: [
      `license_id=${idOf('license', 7)}`,
      'fingerprint=machine-77',
      `license_id=${idOf('license', 9)}&status=expired`,
      ...walking('activations_held', 'status=active'),
      ...walking('activations_lease_expired', 'status=expired'),
      ...walking('activations_deactivated', 'status=deactivated'),
    ],
  },
  '/api/v1/tenant/api-keys': {
    walk: 'api_keys_tenant_id_created_at_id',
    cases: ['status=active', 'status=revoked'],
  },
  '/api/v1/tenant/audit-logs': { walk: 'audit_logs_occurred_at_id', cases: auditCases },
  '/api/v1/admin/audit': {
    walk: 'audit_logs_occurred_at_id',
    cases: [
      ...auditCases,
      'event=TENANT.',
      'event=TENANT.&actor_type=user&from=2026-01-01T00:00:00.015Z',
      'ip=198.18.0.7',
      ...walking('audit_logs_occurred_at_id', 'event=LICENSE.'),
    ],
  },
  '/api/v1/admin/billing/authorization-log': {
    walk: 'billing_authorization_log_occurred_at_id',
    cases: [
      `admin_id=${idOf('admin', 7)}`,
      'allowed=false',
      'from=2026-01-01T00:00:00.019Z',
      'to=2026-01-01T00:00:00.001Z',
      `admin_id=${idOf('admin', 0)}&allowed=false`,
      ...walking('billing_authorization_log_occurred_at_id', 'allowed=true'),
    ],
  },
  '/api/v1/admin/billing/events': {
    walk: 'payment_events_received_at_id',
    cases: [
      'type=invoice.voided',
      'provider_subscription_id=sub_77',
      'type=invoice.voided&provider_subscription_id=sub_0',
      ...walking('payment_events_type_received_at_id', 'type=invoice.paid'),
    ],
  },
  '/api/v1/admin/tenants': {
    walk: 'tenants_created_at_id',
    cases: [
      'status=suspended',
      'q=number77',
      `q=${idOf('tenant', 77)}`,
      'q=number77&status=active',
      'plan_code=rare',
      'plan_code=rare&status=active',
      'created_from=2026-01-01T00:00:00.009Z',
      'created_to=2026-01-01T00:00:00.001Z',
      'created_from=2026-01-01T00:00:00.005Z&created_to=2026-01-01T00:00:00.006Z',
      'q=number77&created_from=2026-01-01T00:00:00.000Z',
      'status=suspended&created_to=2026-01-01T00:00:00.009Z',
      ...walking('tenants_created_at_id', 'q=whole', 'status=active', 'plan_code=free', 'plan_code=free&status=active'),
    ],
  },
  '/api/v1/admin/rate-limits': {
    walk: 'tenants_created_at_id',
    cases: [
      'status=suspended',
      'q=number77',
      'q=number77&limited=true',
      ...walking('tenants_created_at_id', 'limited=true', 'q=whole', 'limited=true&status=active'),
    ],
  },
  '/api/v1/tenant/entitlements': {
    walk: 'entitlements_created_at_id',
    cases: [
      'code=entitlement-7',
      'type=metered',
      'type=metered&code=entitlement-1000',
      ...walking('entitlements_created_at_id', 'type=boolean'),
    ],
  },
  '/api/v1/tenant/members': {
    walk: 'memberships_tenant_id_created_at_id',
    cases: [
      'role=owner',
      'role=viewer',
      'role=admin',
      'email=member77%40example.com',
      'email=invited76%40example.com',
      'role=viewer&email=member1004%40example.com',
      'role=viewer&email=invited1004%40example.com',
    ],
  },
  '/api/v1/tenant/notifications': {
    walk: 'notifications_created_at_id',
    cases: [
      'type=license.expiring',
      'severity=critical',
      'type=license.expiring&severity=critical',
      'type=license.expiring&unread=true',
      'type=license.expiring&unread=false',
      'severity=critical&unread=true',
      'severity=critical&unread=false',
      'type=message&severity=critical&unread=true',
      ...walking('notifications_created_at_id', 'type=message', 'severity=info', 'type=message&severity=info'),
      ...walking('notifications_unread_created_at_id', 'unread=true', 'severity=info&unread=true'),
      ...walking('notifications_read_created_at_id', 'unread=false', 'type=message&unread=false'),
    ],
  },
  '/api/v1/tenant/webhooks': {
    walk: 'webhook_endpoints_existing',
    cases: ['status=disabled', ...walking('webhook_endpoints_existing', 'status=enabled')],
  },
  '/api/v1/tenant/webhook-deliveries': {
    walk: 'webhook_deliveries_created_at_id',
    cases: [
      'status=failed',
      'status=pending',
      'event_type=webhook.disabled',
      `webhook_id=${idOf('webhook', 2)}`,
      `webhook_id=${idOf('webhook', 2)}&status=failed`,
      'event_type=webhook.disabled&status=failed',
      `webhook_id=${idOf('webhook', 2)}&event_type=webhook.disabled`,
      ...walking('webhook_deliveries_created_at_id', 'event_type=license.created'),
      ...walking('webhook_deliveries_created_at_id', 'status=succeeded', `webhook_id=${idOf('webhook', 1)}`),
    ],
  },
  '/api/v1/tenant/usage': {
    walk: 'usage_totals_interval_period_license_id_entitlement_code',
    cases: [
      `license_id=${idOf('license', 7)}`,
      'entitlement=scans',
      'entitlement=exports',
      'from=2025-10-05T00:00:00Z',
      'to=2025-01-05T00:00:00Z',
      'from=2025-03-05T00:00:00Z&to=2025-03-07T00:00:00Z',
      'interval=hour',
      `interval=hour&license_id=${idOf('license', 7)}`,
      'interval=hour&entitlement=code-77',
      'interval=hour&to=2025-01-02T12:00:00Z',
      `license_id=${idOf('license', 8)}&entitlement=scans`,
      `license_id=${idOf('license', 8)}&to=2025-02-01T00:00:00Z`,
      'entitlement=scans&from=2025-02-01T00:00:00Z&to=2025-03-01T00:00:00Z',
      'entitlement=exports&to=2025-01-05T00:00:00Z',
    ],
  },
  '/api/v1/admin/admins': {
    walk: 'admins_created_at_id',
    cases: ['role=billing_admin', ...walking('admins_created_at_id', 'role=admin')],
  },
  '/api/v1/onboarding': {
    walk: 'onboarding_checkouts_user_id_created_at_id',
    cases: ['status=failed', ...walking('onboarding_checkouts_user_id_status_created_at_id', 'status=canceled')],
  },
  '/api/v1/admin/catalog/products': { walk: 'catalog_products_created_at_id', cases: ['code=catalog-77'] },
  '/api/v1/admin/catalog/plans': {
    walk: 'plans_created_at_id',
    cases: [
      'code=plan-77',
      `catalog_product_id=${idOf('product', 7)}`,
      `catalog_product_id=${idOf('product', 7)}&archived=false`,
      ...walking('plans_archived', 'archived=true'),
      ...walking('plans_offered', 'archived=false'),
    ],
  },
  '/api/v1/admin/subscriptions': {
    walk: 'subscriptions_created_at_id',
    cases: [
      `tenant_id=${idOf('tenant', 7)}`,
      'status=past_due',
      `tenant_id=${idOf('tenant', 7)}&status=active&plan_code=free`,
      'plan_code=free&status=past_due',
      ...walking('subscriptions_created_at_id', 'status=active', 'plan_code=free', 'plan_code=free&status=active'),
    ],
  },
  '/api/v1/admin/invoices': {
    walk: 'invoices_created_at_id',
    cases: [
      `tenant_id=${idOf('tenant', 7)}`,
      'status=open',
      `tenant_id=${idOf('tenant', 7)}&status=paid`,
      ...walking('invoices_created_at_id', 'status=paid'),
    ],
  },
  '/api/v1/admin/billing/dunning': { walk: 'subscriptions_past_due_since', cases: [] },
  '/api/v1/admin/billing/orphans': { walk: 'orphan_subscriptions_created_at_id', cases: [] },
  '/api/v1/billing/invoices': {
    walk: 'invoices_tenant_id_created_at_id',
    cases: ['status=open', ...walking('invoices_created_at_id', 'status=paid')],
  },
  '/api/v1/admin/feature-flags': { walk: 'feature_flags_created_at_id', cases: ['key=flag-77'] },
};

const suite = useApp();
const watch: PlanWatch = { rules: undefined, problems: [] };
let admin: Account;
let tenant: TestTenant;
let tenantDb: Kysely<never>;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
  await fillForLists(suite.app, tenant);
  const { platform, tenants } = suite.app.services;
  tenantDb = await tenants.withTenantDb(tenant.id, (db) => Promise.resolve(db.query as unknown as Kysely<never>));
  watchPlans(tenantDb, watch);
  watchPlans(platform.query as unknown as Kysely<never>, watch);
}, 180_000);

const doorOfTenants = '/api/v1/admin/tenants/{tenantId}/';

test('every list and every filter has a case here', () => {
  const filtersByList = liveRoutes(suite.app).flatMap((route) => {
    const names = route.queryParameters.map((parameter) => parameter.name);
    const isList = route.method === 'GET' && names.includes('cursor') && !route.path.startsWith(doorOfTenants);
    return isList ? [[route.path, names.filter((name) => name !== 'cursor' && name !== 'limit').sort()] as const] : [];
  });
  const covered = Object.entries(lists).map(([path, { cases }]) => {
    const queries = cases.map((one) => new URLSearchParams(typeof one === 'string' ? one : one.query));
    return [path, [...new Set(queries.flatMap((query) => [...query.keys()]))].sort()] as const;
  });
  expect(Object.fromEntries(covered)).toEqual(Object.fromEntries(filtersByList));
});

/** Lists once and tells what is wrong with the statements that it takes, and the cursor of the next page. */
async function problemsOf(path: string, query: string, walk: string | undefined) {
  watch.problems = [];
  watch.rules = { bigTables: listedTables, walks: walk === undefined ? [] : [walk] };
  const { auth } = path.startsWith('/api/v1/admin') ? admin : tenant.owner;
  const answer = await suite.app.request({ method: 'GET', url: `${path}?limit=5&${query}`, headers: auth });
  watch.rules = undefined;
  if (answer.status !== 200) throw new Error(`${path}?${query} answered ${answer.status} ${answer.text}`);
  const problems = [...(answer.body.data.length === 0 ? ['found nothing'] : []), ...watch.problems];
  return { problems, cursor: answer.body.meta.next_cursor };
}

describe.each(Object.entries(lists))('%s', (path, { walk, cases }) => {
  test.each(
    [{ query: '', walk }, ...cases].map((one) => (typeof one === 'string' ? { query: one, walk: undefined } : one)),
  )('is answered from an index with "$query"', async ({ query, walk: allowed }) => {
    const first = await problemsOf(path, query, allowed);
    expect(first.problems).toEqual([]);
    if (first.cursor === null) return;
    expect((await problemsOf(path, `${query}&cursor=${first.cursor}`, allowed)).problems).toEqual([]);
  });
});

// Counting reads what it counts, of an index that holds nothing else.
const counted = [
  ...['tenants_status', 'subscriptions_status_currency_interval_amount'],
  'subscriptions_status_currency_plan_code_interval_amount',
];
const december = 'from=2025-12-01T00:00:00Z&to=2026-01-01T00:00:00Z&interval=hour';

test.each([
  [`/metrics?${december}`, counted],
  ['/metrics?from=2023-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', counted],
  [`/metrics?${december}&tenant_id=${idOf('tenant', 7)}`, []],
  [`/rate-limits/${idOf('tenant', 7)}?${december}`, []],
  ['/rate-limits?limit=100', ['tenants_created_at_id']],
  ['/billing/overview', [...counted, 'orphan_subscriptions_created_at_id']],
])('%s reads nothing but indexes, and takes no more statements for more tenants', async (path, walks) => {
  watch.problems = [];
  watch.statements = 0;
  watch.rules = { bigTables: listedTables, walks, counted };
  const answer = await suite.app.request({ method: 'GET', url: `/api/v1/admin${path}`, headers: admin.auth });
  watch.rules = undefined;
  expect([answer.status, watch.problems]).toEqual([200, []]);
  // Two of them say who asks.
  expect(watch.statements).toBeLessThanOrEqual(6);
});

test.each([
  ['PUT', `/entitlements/${idOf('entitlement', 3)}`, { name: 'Scans' }],
  ['DELETE', `/entitlements/${idOf('entitlement', 2)}`, undefined],
  ['PUT', `/licenses/${idOf('license', 7)}`, { entitlements: [{ code: 'entitlement-77' }] }],
  ['POST', `/licenses/${idOf('license', 8)}/rotate-key`, undefined],
  ['DELETE', `/licenses/${idOf('license', 9)}`, undefined],
  ['DELETE', `/policies/${idOf('policy', 9)}`, undefined],
  ['DELETE', `/products/${idOf('product', 9)}`, undefined],
  ['POST', '/members', { email: 'invited16@example.com', role: 'viewer' }],
  ['PUT', `/members/${idOf('membership', 1000)}`, { role: 'viewer' }],
  ['DELETE', `/members/${idOf('membership', 2000)}`, undefined],
  ['PUT', `/members/${idOf('invitation', 12)}`, { role: 'viewer' }],
  ['DELETE', `/members/${idOf('invitation', 8)}`, undefined],
  ['POST', `/notifications/${idOf('notification', 9)}/read`, undefined],
] as const)('%s %s reads no table as a whole', async (method, path, payload) => {
  watch.problems = [];
  watch.rules = { bigTables: listedTables, walks: [] };
  const answer = await tenant.asOwner(method, path, payload);
  watch.rules = undefined;
  expect([answer.text, answer.status < 300, watch.problems]).toEqual([answer.text, true, []]);
});

test.each([
  [
    'a filter without an index',
    "select * from licenses where holder_name = 'x' order by created_at desc, id desc limit 26",
  ],
  ['an order without an index', "select * from licenses where status = 'active' order by updated_at desc limit 26"],
  ['a text within a text', "select * from products where name like '%x%' limit 26"],
])('%s would be found out', async (_what, statement) => {
  const query = sql.raw(statement).compile(tenantDb);
  const execute = (explained: CompiledQuery) => tenantDb.executeQuery(explained);
  const rules = { bigTables: listedTables, walks: [] };
  expect(await planProblems({ query, execute, isInTransaction: false }, rules)).not.toEqual([]);
});

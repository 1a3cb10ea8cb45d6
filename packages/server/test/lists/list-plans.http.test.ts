import { type Kysely, sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { liveRoutes } from '../support/routes.ts';
import { bigTables, fillDatabases, idOf } from './many-rows.ts';
import { planProblems, recordStatements, type SentStatement } from './query-plans.ts';

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
  'from=2026-01-01T00:00:00.099Z',
  'to=2026-01-01T00:00:00.001Z',
  'from=2026-01-01T00:00:00.015Z&to=2026-01-01T00:00:00.016Z',
  'event=LICENSE.RARE&actor_type=system&from=2026-01-01T00:00:00.015Z',
];

/** Every list of the service. The admin's door to a tenant has the same lists as the tenant's. */
const lists: Readonly<Record<string, List>> = {
  '/api/v1/tenant/products': {
    walk: 'products_created_at_id',
    cases: ['code=product-7', 'q=product-77', ...walking('products_created_at_id', 'q=edi', 'q=edi%20product-1')],
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
  '/api/v1/admin/audit': { walk: 'audit_logs_occurred_at_id', cases: auditCases },
  '/api/v1/admin/tenants': {
    walk: 'tenants_created_at_id',
    cases: [
      'status=suspended',
      'q=number77',
      `q=${idOf('tenant', 77)}`,
      'q=number77&status=active',
      ...walking('tenants_created_at_id', 'q=whole', 'status=active'),
    ],
  },
  '/api/v1/admin/admins': { walk: 'admins_created_at_id', cases: [] },
};

const suite = useApp();
const sent: SentStatement[] = [];
let admin: Account;
let tenant: TestTenant;
let tenantDb: Kysely<never>;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
  await fillDatabases(suite.app, tenant);
  const { platform, tenants } = suite.app.services;
  tenantDb = await tenants.withTenantDb(tenant.id, (db) => Promise.resolve(db.query as unknown as Kysely<never>));
  recordStatements(tenantDb, sent);
  recordStatements(platform.query as unknown as Kysely<never>, sent);
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

/** Lists once and tells what is wrong with the statements that it took, and the cursor of the next page. */
async function problemsOf(path: string, query: string, walk: string | undefined) {
  sent.length = 0;
  const { auth } = path.startsWith('/api/v1/admin') ? admin : tenant.owner;
  const answer = await suite.app.request({ method: 'GET', url: `${path}?limit=5&${query}`, headers: auth });
  if (answer.status !== 200) throw new Error(`${path}?${query} answered ${answer.status} ${answer.text}`);
  const reads = sent.filter((statement) => /^(with|select)/.test(statement.query.sql));
  const problems: string[] = answer.body.data.length === 0 ? ['found nothing'] : [];
  for (const statement of [...reads]) {
    for (const problem of await planProblems(statement, { bigTables, walk })) {
      problems.push(`${query}: ${problem} in ${statement.query.sql}`);
    }
  }
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

test.each([
  [
    'a filter without an index',
    "select * from licenses where holder_name = 'x' order by created_at desc, id desc limit 26",
  ],
  ['an order without an index', "select * from licenses where status = 'active' order by updated_at desc limit 26"],
  ['a text within a text', "select * from products where name like '%x%' limit 26"],
])('%s would be found out', async (_what, statement) => {
  const query = sql.raw(statement).compile(tenantDb);
  expect(await planProblems({ db: tenantDb as never, query }, { bigTables, walk: undefined })).not.toEqual([]);
});

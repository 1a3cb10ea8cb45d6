import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { liveRoutes } from '../support/routes.ts';
import { listedTables } from './filled-tables.ts';
import { fillForLists, notedCustomer } from './many-rows.ts';
import { idOf } from './numbered-rows.ts';
import { platformLists } from './platform-lists.ts';
import { type PlanWatch, planProblems, watchPlans } from './query-plans.ts';
import { listedComparison, listedConnection } from './sale-rows.ts';
import { tenantLists } from './tenant-lists.ts';

/** Every list of the service. The admin surface of a tenant has the same lists as the tenant surface. */
const lists = { ...tenantLists, ...platformLists };

useClock('2027-01-01T00:00:00.002Z');
const suite = useTenant();
const watch: PlanWatch = { rules: undefined, problems: [] };
let tenantDb: Kysely<never>;

beforeAll(async () => {
  await fillForLists(suite.app, suite.tenant);
  const { platform, tenants } = suite.app.services;
  tenantDb = await tenants.withTenantDb(suite.tenant.id, (db) => Promise.resolve(db.query as unknown as Kysely<never>));
  watchPlans(tenantDb, watch);
  watchPlans(platform.query as unknown as Kysely<never>, watch);
});

/** The lists of tenants at the other surface, and those of holders, which test/holders/portal-pages.long.http.test.ts checks. */
const otherSurfaces = ['/api/v1/admin/tenants/{tenantId}/', '/api/v1/portal/'];

test('every list and every filter of the API has a case in this suite', () => {
  const filtersByList = liveRoutes(suite.app).flatMap((route) => {
    const names = route.queryParameters.map((parameter) => parameter.name);
    const isList =
      route.method === 'GET' &&
      names.includes('cursor') &&
      !otherSurfaces.some((start) => route.path.startsWith(start));
    return isList ? [[route.path, names.filter((name) => name !== 'cursor' && name !== 'limit').sort()] as const] : [];
  });
  const covered = Object.entries(lists).map(([path, { cases }]) => {
    const queries = cases.map((one) => new URLSearchParams(typeof one === 'string' ? one : one.query));
    return [path, [...new Set(queries.flatMap((query) => [...query.keys()]))].sort()] as const;
  });
  expect(Object.fromEntries(covered)).toEqual(Object.fromEntries(filtersByList));
});

/** Returns the path of a list below a connection or a comparison. */
const inPath = (path: string) =>
  path
    .replace('products/{id}', `products/${idOf('product', 1)}`)
    .replace('{id}', listedConnection)
    .replace('{comparison_id}', listedComparison)
    .replace('{email}', notedCustomer);

/** Requests a page. Returns the violations of its statements, its rows and the cursor of the next page. */
async function problemsOf(path: string, query: string, scan: string | undefined) {
  watch.problems = [];
  watch.rules = { bigTables: listedTables, scans: scan?.split(' ') ?? [] };
  const { auth } = path.startsWith('/api/v1/admin') ? suite.admin : suite.tenant.owner;
  const response = await suite.app.request({ method: 'GET', url: `${inPath(path)}?limit=5&${query}`, headers: auth });
  watch.rules = undefined;
  if (response.status !== 200) throw new Error(`${path}?${query} responded with ${response.status} ${response.text}`);
  const problems = [...(response.body.data.length === 0 ? ['the list is empty'] : []), ...watch.problems];
  const rows: string[] = response.body.data.map((row: object) => JSON.stringify(row));
  return { problems, rows, cursor: response.body.meta.next_cursor };
}

describe.each(Object.entries(lists))('%s', (path, { scan, cases }) => {
  test.each(
    [{ query: '', scan }, ...cases].map((one) => (typeof one === 'string' ? { query: one, scan: undefined } : one)),
  )(
    `${path} with the filter "$query" is read from an index, and its next page repeats no row`,
    async ({ query, scan: allowed }) => {
      const first = await problemsOf(path, query, allowed);
      expect(first.problems).toEqual([]);
      if (first.cursor === null) return;
      const next = await problemsOf(path, `${query}&cursor=${first.cursor}`, allowed);
      expect([next.problems, next.rows.filter((row) => first.rows.includes(row))]).toEqual([[], []]);
    },
  );
});

// Counting reads the counted rows from an index that contains no other rows.
const counted = ['tenants_live_status', 'subscriptions_revenue'];
// Each of these is read up to a limit.
const troubles = ['jobs_dead_updated_at', 'dead_mails_died_at_id', 'subscriptions_past_due_since'];
const december = 'from=2025-12-01T00:00:00Z&to=2026-01-01T00:00:00Z&interval=hour';

test.each([
  [`/metrics?${december}`, [...counted, ...troubles]],
  ['/metrics?from=2023-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', [...counted, ...troubles]],
  [`/metrics?${december}&tenant_id=${idOf('tenant', 7)}`, []],
  [`/rate-limits/${idOf('tenant', 7)}?${december}`, []],
  ['/rate-limits?limit=100', ['tenants_created_at_id']],
  ['/billing/overview', [...counted, 'orphan_subscriptions_created_at_id', 'subscriptions_past_due_since']],
])(
  'the route %s reads only from indexes, with at most eight statements for any number of tenants',
  async (path, scans) => {
    watch.problems = [];
    watch.statements = 0;
    watch.rules = { bigTables: listedTables, scans, counted };
    const response = await suite.asAdmin('GET', path);
    watch.rules = undefined;
    expect([response.status, watch.problems]).toEqual([200, []]);
    // Two of them authenticate the admin.
    expect(watch.statements).toBeLessThanOrEqual(8);
  },
);

test('the overview of a tenant reads only from indexes', async () => {
  watch.problems = [];
  const scans = ['licenses_created_at_id', 'webhook_endpoints_existing'];
  // Any policy will do.
  watch.rules = { bigTables: new Set([...listedTables].filter((table) => table !== 'policies')), scans };
  const response = await suite.tenant.asOwner('GET', `/overview?${december}`);
  watch.rules = undefined;
  // The members and API keys of a tenant are counted, as in each check of the plan's limits. There are few.
  const problems = watch.problems.filter((problem) => !/from "(api_keys|memberships)" where/.test(problem));
  expect([response.status, problems]).toEqual([200, []]);
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
] as const)('the request %s %s does not read a whole table', async (method, path, payload) => {
  watch.problems = [];
  watch.rules = { bigTables: listedTables, scans: [] };
  const response = await suite.tenant.asOwner(method, path, payload);
  watch.rules = undefined;
  expect([response.text, response.status < 300, watch.problems]).toEqual([response.text, true, []]);
});

test.each([
  [
    'a filter without an index',
    "select * from licenses where holder_name = 'x' order by created_at desc, id desc limit 26",
  ],
  ['an order without an index', "select * from licenses where status = 'active' order by updated_at desc limit 26"],
  ['a search within a text', "select * from products where name like '%x%' limit 26"],
])('a statement with %s is reported as a violation', async (_what, statement) => {
  const query = sql.raw(statement).compile(tenantDb);
  const execute = (explained: CompiledQuery) => tenantDb.executeQuery(explained);
  const rules = { bigTables: listedTables, scans: [] };
  expect(await planProblems({ query, execute, isInTransaction: false }, rules)).not.toEqual([]);
});

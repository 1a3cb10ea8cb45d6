import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { asUser } from '../accounts/account-data.ts';
import { type BillingData, createBillingData } from '../commerce/billing-data.ts';
import { createSignUp, startSignUp } from '../commerce/buyers.ts';
import { insertPaymentEvent } from '../commerce/payment-event-rows.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { booleanFlag, createFlag } from '../operations/flags.ts';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  freshAddress,
  type TestTenant,
} from '../support/accounts.ts';
import type { RequestContext } from '../support/arbitrary-bodies.ts';
import { requestTo } from '../support/arbitrary-requests.ts';
import { type Answer, engine, useApp } from '../support/harness.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import { type JsonSchema, type LiveRoute, liveRoutes } from '../support/routes.ts';
import { countAllRows, type RowCounts } from '../support/row-counts.ts';

/** A failure prints the seed. Set FUZZ_SEED for other requests, and FUZZ_RUNS for more requests. */
const defaultSeed = 20_261_120;
const seed = Number(process.env['FUZZ_SEED'] ?? defaultSeed);

/** Derived from the route's title, so that a new route does not change the requests to other routes. */
function seedOf(route: LiveRoute): number {
  return [...route.title].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) | 0, seed);
}

/** With this many runs every handler is known to be reached: see `expectHandlerReached`. */
const enoughRuns = 40;
/** On PostgreSQL a request costs twice as much, so only the first 8 of the same requests are sent. */
const runsPerRoute = Number(process.env['FUZZ_RUNS'] ?? (engine === 'postgres' ? 8 : enoughRuns));

const suite = useApp({ LOG_LEVEL: 'warn', PAYMENT_PROVIDER: 'sandbox' });
let admin: Account;
let tenant: TestTenant;
/** A tenant and an admin that can be suspended, closed and disabled, because no other route depends on them. */
let victim: TestTenant;
let victimAdmin: Account;
let spareToken: Account;
let data: LicensingData[] = [];
const flagKey = 'fuzzed-flag';
let flagId: string;
/** A user without a tenant, with a started checkout of a free plan. */
let buyer: Account;
let checkoutId: string;
let exportId: string;
const paymentEventId = newId();
let billing: BillingData;

beforeAll(async () => {
  const { app } = suite;
  admin = await createAdmin(app);
  victimAdmin = await createAdmin(app, 'admin');
  spareToken = await createAdmin(app, 'admin');
  tenant = await createTenant(app, admin);
  victim = await createTenant(app, admin);
  data = [await createLicensingData(tenant)];
  billing = await createBillingData(app, admin);
  flagId = await createFlag(app, admin, flagKey, booleanFlag());
  buyer = await createUser(app);
  checkoutId = (await startSignUp(await createSignUp(app, buyer), 'free')).id;
  exportId = (await asUser(app, tenant.owner, 'POST', '/export')).body.data.id;
  await runTenantJobs(app);
  await insertPaymentEvent(app, paymentEventId);
});

const groups = [
  { group: 'public routes', includes: (path: string) => !/^\/api\/v1\/(tenant|admin|integration)\//.test(path) },
  { group: 'the tenant surface', includes: (path: string) => path.startsWith('/api/v1/tenant/') },
  { group: 'the admin surface', includes: (path: string) => path.startsWith('/api/v1/admin/tenants/{tenantId}/') },
  { group: 'platform administration', includes: (path: string) => /^\/api\/v1\/admin\/(?!.*\{tenantId\})/.test(path) },
  { group: 'the Integration API', includes: (path: string) => path.startsWith('/api/v1/integration/') },
];

const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Orders reads before writes and deletions last, so that reads and writes find resources. */
function routesOf(includes: (path: string) => boolean): LiveRoute[] {
  const routes = liveRoutes(suite.app).filter(({ path }) => includes(path));
  return routes.sort((left, right) => order.indexOf(left.method) - order.indexOf(right.method));
}

function contextOf({ path }: LiveRoute): RequestContext {
  if (path.startsWith('/api/v1/integration/')) {
    const existing = existingFor('/activations');
    return { existing, headers: { 'x-api-key': tenant.apiKey } };
  }
  if (/^\/api\/v1\/admin\/(tenants|rate-limits)\/\{id\}$/.test(path))
    return { existing: { id: [victim.id] }, headers: admin.auth };
  if (path === '/api/v1/admin/admins/{id}') return { existing: { id: [victimAdmin.id] }, headers: admin.auth };
  if (path.startsWith('/api/v1/account/exports/')) return { existing: { id: [exportId] }, headers: tenant.owner.auth };
  if (path.startsWith('/api/v1/admin/billing/events/')) {
    return { existing: { id: [paymentEventId] }, headers: admin.auth };
  }
  if (path.startsWith('/ofrep/')) return { existing: { key: [flagKey] }, headers: { 'x-api-key': tenant.apiKey } };
  if (path === '/api/v1/admin/feature-flags/{id}') return { existing: { id: [flagId] }, headers: admin.auth };
  if (path.startsWith('/api/v1/onboarding')) {
    return { existing: { id: [checkoutId], plan: ['free'] }, headers: buyer.auth };
  }
  if (billingKinds.some(([part]) => path.includes(part))) return billingContextOf(path);
  if (path.startsWith('/api/auth/')) return { existing: {}, headers: spareToken.auth };
  const headers = path.startsWith('/api/v1/admin/') ? admin.auth : tenant.owner.auth;
  return { existing: existingFor(path), headers };
}

const billingKinds = [
  ['/catalog/products', 'catalogProductId'],
  ['/catalog/plans', 'planId'],
  ['/admin/subscriptions', 'subscriptionId'],
  ['/invoices', 'invoiceId'],
  ['/billing/', 'subscriptionId'],
] as const satisfies (readonly [part: string, kind: keyof BillingData & `${string}Id`])[];

function billingContextOf(path: string): RequestContext {
  const kind = billingKinds.find(([part]) => path.includes(part))?.[1] ?? 'planId';
  const values = {
    currency: ['usd'],
    country: ['DE'],
    plan: billing.planCodes,
    plan_code: billing.planCodes,
    tenant_id: [billing.tenant.id],
    catalog_product_id: billing.catalogProductId,
  };
  const headers = path.startsWith('/api/v1/admin/') ? admin.auth : billing.tenant.owner.auth;
  const existing = { ...existingFor(path), ...values, id: billing[kind] };
  return { existing, chosen: ['currency', 'country', 'plan', 'plan_code'], headers };
}

/** Returns the existing values for `{id}` in a path, and for references in bodies and filters. */
function existingFor(path: string): RequestContext['existing'] {
  const ids = {
    product_id: data.map((one) => one.productId),
    policy_id: data.map((one) => one.policyId),
    license_id: data.map((one) => one.licenseId),
    activation_id: data.map((one) => one.activationId),
    api_key_id: data.map((one) => one.spareApiKeyId),
    entitlement_id: data.map((one) => one.entitlementId),
    notification_id: data.map((one) => one.notificationId),
    member_id: data.map((one) => one.memberId),
    webhook_id: data.map((one) => one.webhookId),
    delivery_id: data.map((one) => one.deliveryId),
  };
  const kind = Object.entries(ids).find(([name]) => path.includes(plurals[name as keyof typeof ids]));
  const taken = {
    code: data.map((one) => one.code),
    key: data.map((one) => one.licenseKey),
    fingerprint: data.map((one) => one.fingerprint),
    email: [victimAdmin.email],
    url: ['https://hooks.example.com/fuzz', 'https://127.0.0.1/'],
  };
  return { ...ids, ...taken, id: kind?.[1] ?? Object.values(ids).flat(), tenantId: [tenant.id] };
}

const plurals = {
  product_id: '/products',
  policy_id: '/policies',
  license_id: '/licenses',
  activation_id: '/activations',
  api_key_id: '/api-keys',
  entitlement_id: '/entitlements',
  notification_id: '/notifications',
  member_id: '/members',
  webhook_id: '/webhooks',
  delivery_id: '/webhook-deliveries',
};

/** These routes need a password, a code, a mailed token or an event signature, which no generator can guess. */
const needSecrets = [
  'POST /webhooks/sandbox',
  'POST /webhooks/stripe',
  'POST /api/auth/login',
  'POST /api/v1/auth/accept-invitation',
  'POST /api/v1/account/deletion',
  'POST /api/v1/auth/reset-password',
  'POST /api/v1/auth/email/verify',
  'POST /api/v1/marketing/confirm',
  'POST /api/auth/two-factor/setup',
  'POST /api/auth/two-factor/confirm',
  'POST /api/auth/two-factor/recovery-codes',
  'DELETE /api/auth/two-factor',
];
/** Each request to these routes creates a database or hashes a password, so they get a third of the runs. */
const costlyRoutes = ['POST /api/v1/admin/tenants', 'POST /api/v1/auth/register', ...needSecrets];

function runsFor({ title }: LiveRoute): number {
  return costlyRoutes.includes(title) ? Math.ceil(runsPerRoute / 3) : runsPerRoute;
}

test.each(groups)(
  'no request to $group breaks the service or the conventions',
  async ({ includes }) => {
    const routes = routesOf(includes);
    expect(routes.length).toBeGreaterThan(3);
    for (const route of routes) await fuzz(route, seedOf(route));
  },
  120_000,
);

async function fuzz(route: LiveRoute, routeSeed: number): Promise<void> {
  // Every route gets new data, because requests to the previous route may have deleted or revoked the old data.
  if (/\{(id|key)\}/.test(route.path)) data = [await createLicensingData(tenant)];
  let before = await countAllRows(suite.app, tenant.id);
  const statuses: number[] = [];
  const property = fc.asyncProperty(requestTo(route, contextOf(route)), async (request) => {
    const answer = await suite.app.request({ ...request, remoteAddress: freshAddress() });
    statuses.push(answer.status);
    expectConventions(route, answer);
    const after = await countAllRows(suite.app, tenant.id);
    if (answer.status >= 400) expect(comparable(route, after)).toEqual(comparable(route, before));
    before = after;
  });
  try {
    await fc.assert(property, { seed: routeSeed, numRuns: runsFor(route) });
  } catch (error) {
    throw new Error(
      `${route.title} (repeat with FUZZ_SEED=${seed}): ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  if (seed === defaultSeed && runsPerRoute >= enoughRuns) expectHandlerReached(route, statuses);
}

/** Ensures that the generated requests are not all refused before they reach the handler. */
function expectHandlerReached({ title }: LiveRoute, statuses: readonly number[]): void {
  expect(
    statuses.some((status) => status >= 400),
    `${title} refuses some`,
  ).toBe(true);
  if (needSecrets.includes(title)) return;
  expect(
    statuses.some((status) => status < 300 || status === 409),
    `${title} accepts some of ${statuses}`,
  ).toBe(true);
}

/** Ignores the platform's audit log for logins, because a failed login of an admin is audited. */
function comparable(route: LiveRoute, counts: RowCounts): RowCounts {
  const { 'platform.audit_logs': auditLogs = 0, ...rest } = counts;
  return route.path === '/api/auth/login' ? rest : { ...rest, 'platform.audit_logs': auditLogs };
}

const traces = /\bat [^"]*:\d+:\d+|node_modules|\.[cm]?ts\b:\d|SQLITE_|sqlite|postgres|kysely/i;

/** Successful responses with a standard format have no envelope. */
const standardDocuments = ['/api/v1/tenants/{tenantId}/jwks.json', '/api/v1/account/exports/{id}/download'];

/** Failures of OFREP have no envelope either. */
const isOfrep = ({ path }: LiveRoute) => path.startsWith('/ofrep/');

function expectConventions(route: LiveRoute, answer: Answer): void {
  expect(answer.status, answer.text).toBeLessThan(500);
  expect(answer.headers['x-service-api-version']).toBe('1');
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (isOfrep(route)) {
    expectOfrep(route, answer);
    return;
  }
  const hasEnvelope = !standardDocuments.includes(route.path) && !route.answersFile;
  if (answer.status >= 400 || hasEnvelope) {
    expect(answer.body.meta).toMatchObject({ request_id: answer.headers['x-request-id'], api_version: '1' });
  }
  if (answer.status < 400) expectDeclared(route, answer);
  else expectFailure(route, answer);
}

function expectOfrep(route: LiveRoute, answer: Answer): void {
  // The request was refused because of its path, before the OFREP routes.
  if ([400, 404, 414].includes(answer.status) && answer.body.error !== undefined) return;
  expectDeclared(route, answer);
  if (answer.status >= 400) expect(answer.body.errorDetails).toMatch(/^[A-Z].*\.$/s);
  expect(answer.text).not.toMatch(traces);
}

function expectFailure(route: LiveRoute, answer: Answer): void {
  expect(Object.keys(route.responses)).toContain('4XX');
  expect(Object.keys(answer.body).sort()).toEqual(['error', 'meta']);
  expect(answer.body.error.code).toMatch(/^[A-Z_]+(\.[A-Z_]+)+$/);
  expect(answer.body.error.message).toMatch(/^[A-Z].*\.$/s);
  expect(answer.text).not.toMatch(traces);
  if (answer.status === 422 && answer.body.error.code === 'VALIDATION.FAILED') {
    expect(answer.body.error.details.length).toBeGreaterThan(0);
  }
}

const validators = new Map<JsonSchema, ReturnType<typeof Compile>>();

/** Expects a success with a status that the OpenAPI document declares, and a body that matches its schema. */
function expectDeclared(route: LiveRoute, answer: Answer): void {
  const declared = route.responses[String(answer.status)];
  expect(declared, `${answer.status} is not declared`).toBeDefined();
  if (route.answersFile) {
    const [type] = String(answer.headers['content-type']).split(';');
    expect(Object.keys(declared?.content ?? {})).toContain(type);
    return;
  }
  const schema = declared?.content?.['application/json']?.schema;
  if (schema === undefined) throw new Error(`${route.title} declares no body for ${answer.status}.`);
  const validator = validators.get(schema) ?? Compile(schema as TSchema);
  validators.set(schema, validator);
  expect(validator.Errors(answer.body), answer.text).toEqual([]);
}

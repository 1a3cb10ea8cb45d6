import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { freshAddress } from '../support/accounts.ts';
import { type Answer, engine, useApp } from '../support/harness.ts';
import { type LiveRoute, liveRoutes } from '../support/routes.ts';
import { countAllRows, type RowCounts } from '../support/row-counts.ts';
import { requestTo } from './arbitrary-requests.ts';
import { type Credential, fixedPath, mayUse } from './credentials.ts';
import { refusalOf } from './declared-requests.ts';
import { toCommandLine } from './report.ts';
import { expectConventions, expectHeaders } from './responses.ts';
import { type FuzzedRequest, sendOverWire } from './wire.ts';
import { createWorld, type World } from './world.ts';

/** Set by `npm run test:fuzz`: repeat with new requests for this long. Without it, a fixed number is sent. */
const secondsToRun = Number(process.env['FUZZ_SECONDS'] ?? 0);
const isLong = secondsToRun > 0;
const defaultSeed = 20_261_120;
/** A failure prints the seed. */
const seed = Number(process.env['FUZZ_SEED'] ?? (isLong ? Date.now() % 2 ** 31 : defaultSeed));
/** Limits the requests to one route, such as `GET /health`. */
const onlyRoute = process.env['FUZZ_ROUTE'];

/** Derived from the route's title, so that a new route does not change the requests to other routes. */
function seedOf(route: LiveRoute, round: number): number {
  return [...route.title].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) | 0, seed + round);
}

/** With this many requests to a route, the default seed is known to reach every handler: see `expectHandlerReached`. */
export const enoughRequests = 20;
/** The most rounds of requests to a route until its handler accepts one and refuses another. */
const roundsMax = 5;

let suite: ReturnType<typeof useApp>;
let world: World;
let requestsPerRoute: number;
const statusCounts = new Map<number, number>();

/** It only ends a run that hangs: on a busy machine the requests take several minutes. */
export const timeLimitMs = 600_000 + 4 * secondsToRun * 1000;

/**
 * Starts a service for the suite file. Returns a function that sends so many random requests to every route of a group, or
 * requests for the share of the group in FUZZ_SECONDS.
 */
export function useFuzzing(requests: number): (group: RouteGroup) => Promise<void> {
  requestsPerRoute = isLong ? 2 * enoughRequests : requests;
  // Only the wire's requests come from the loopback address; they name their client address.
  suite = useApp({ LOG_LEVEL: 'warn', PAYMENT_PROVIDER: 'sandbox', TRUST_PROXY: '127.0.0.1' });

  beforeAll(async () => {
    world = await createWorld(suite.app);
    // Without the background work, which writes rows at any time.
    await suite.app.http.listen({ host: '127.0.0.1', port: 0 });
  });

  afterAll(() => {
    if (!isLong) return;
    const counts = [...statusCounts].sort(([left], [right]) => left - right);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const perStatus = counts.map(([status, count]) => `${status}: ${count}`).join(', ');
    process.stdout.write(`${engine}, FUZZ_SEED=${seed}: ${total} responses (${perStatus})\n`);
  });

  return fuzzGroup;
}

interface RouteGroup {
  readonly group: string;
  includes(path: string): boolean;
}

/** All routes, by surface. */
export const groups: readonly RouteGroup[] = [
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

/**
 * These routes need a password, a code, a mailed token, an event signature, an invitation by another tenant, a product with
 * a trial policy, a mail server, the tenant's name or a body whose parts depend on each other, which no generator can guess.
 */
const needSecrets = [
  'POST /webhooks/sandbox',
  'POST /webhooks/stripe',
  'POST /webhooks/sales/{connectionId}',
  'POST /api/auth/login',
  'POST /api/v1/auth/invitation',
  'POST /api/v1/auth/accept-invitation',
  'POST /api/v1/auth/decline-invitation',
  'POST /api/v1/account/invitations/{id}/accept',
  'POST /api/v1/account/invitations/{id}/decline',
  'POST /api/v1/account/deletion',
  'POST /api/v1/account/email',
  'PUT /api/v1/admin/account',
  'POST /api/v1/auth/change-email',
  'POST /api/v1/auth/revert-email',
  'POST /api/v1/auth/undo-two-factor',
  'POST /api/v1/auth/oidc/token',
  'POST /api/v1/auth/reset-password',
  'POST /api/v1/auth/email/verify',
  'POST /api/v1/portal/{handle}/login/code',
  'POST /api/v1/portal/{handle}/login/link',
  'POST /api/v1/portal/{handle}/licenses/{id}/offline-activations',
  // Three ids that belong together, of a license that works.
  'POST /api/v1/portal/{handle}/licenses/{id}/releases/{release_id}/artifacts/{artifact_id}/download',
  'POST /api/v1/integration/trials',
  'POST /api/v1/integration/trials/confirm',
  'POST /api/v1/tenant/licenses/{id}/convert',
  'POST /api/v1/tenant/bulk-operations',
  'POST /api/v1/admin/tenants/{tenantId}/bulk-operations',
  'POST /api/v1/tenant/close',
  'PUT /api/v1/tenant/mail-settings/server',
  'POST /api/v1/marketing/confirm',
  'POST /api/v1/auth/two-factor/setup',
  'POST /api/v1/auth/two-factor/confirm',
  'POST /api/v1/auth/two-factor/recovery-codes',
  'DELETE /api/v1/auth/two-factor',
];
/** These paths need a shop with an API, or a sale, which a job writes. The suites in test/sales request them. */
const needsShop = /^POST .*\/comparisons$|\/connections\/\{id\}\/(?:catalog$|sales\/|comparisons\/)/;
/** Each request to these routes creates a database or hashes a password, so they get a third of the runs. */
const costlyRoutes = ['POST /api/v1/admin/tenants', 'POST /api/v1/auth/register', ...needSecrets];

/** Returns the title of a route in the lists above. */
function fixedTitle({ method, path }: LiveRoute): string {
  return `${method} ${fixedPath(path)}`;
}

function runsFor(route: LiveRoute): number {
  return costlyRoutes.includes(fixedTitle(route)) ? Math.ceil(requestsPerRoute / 3) : requestsPerRoute;
}

async function fuzzGroup({ includes }: RouteGroup): Promise<void> {
  const routes = routesOf(includes);
  expect(routes.length).toBeGreaterThan(3);
  const shareMs = (secondsToRun * 1000 * routes.length) / liveRoutes(suite.app).length;
  const end = performance.now() + shareMs;
  let round = 0;
  do {
    for (const route of routes) if (onlyRoute === undefined || route.title === onlyRoute) await fuzz(route, round);
    round += 1;
  } while (performance.now() < end);
}

async function fuzz(route: LiveRoute, round: number): Promise<void> {
  // In a later round, because the previous one may have been refused for what an earlier request had ended.
  if (round > 0) world.markUsed();
  if (/\{(id|key|handle|email)\}|logout$/.test(route.path)) await world.refresh(route);
  const { context, primary } = world.contextOf(route);
  const requests = requestTo(route, context, { primary, others: world.credentials });
  const isWrite = route.method !== 'GET';
  /** The rows of now, or null if they must be counted, because a request may have written some. */
  let before: RowCounts | null = null;
  const statuses: number[] = [];
  const property = fc.asyncProperty(requests, async (request) => {
    if (isWrite) before ??= await countAllRows(suite.app, world.own.id);
    const expected = before;
    before = null;
    const answered = await sendAndCheck(route, request, primary);
    for (const status of answered) statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1);
    statuses.push(...answered);
    if (mayEnd(request, route) && answered.some((status) => status < 300)) world.markUsed();
    if (expected === null || answered.some((status) => status < 400)) return;
    const actual = await countAllRows(suite.app, world.own.id);
    const [left, right] = [actual, expected].map((counts) => comparable(route, answered, counts));
    expect(left, 'a refused request writes nothing').toEqual(right);
    before = actual;
  });
  const found = await fc.check(property, { seed: seedOf(route, round), numRuns: runsFor(route) });
  if (found.failed) {
    const request = found.counterexample?.[0];
    const repeat = `FUZZ_SEED=${seed + round} FUZZ_ROUTE='${route.title}' npm run test:fuzz`;
    const lines = [
      route.title,
      `as ${request?.credential.name}`,
      request && toCommandLine(request),
      `Repeat: ${repeat}`,
    ];
    throw new Error(`${lines.join('\n')}\n${String(found.errorInstance)}`, { cause: found.errorInstance });
  }
  if (seed !== defaultSeed || requestsPerRoute < enoughRequests) return;
  // By chance a route can refuse or accept all requests of a round, and the next ones decide.
  const isEnough = isHandlerReached(route, statuses) && isSomeRefused(statuses);
  if (round < roundsMax - 1 && !isEnough) await fuzz(route, round + 1);
  else expectHandlerReached(route, statuses);
}

/** Paths of writes that end what they name, so that later requests to it are refused. */
const endings =
  /\/(?:archive|cancel|close|convert|deactivate|decline|deletion|disable|logout|release|replace-key|revoke|rotate|rotate-\w+|suspend|yank)$/;

/** Returns true for a request that may delete or end what others use. A random method may delete what a path names. */
function mayEnd({ method, wire = '' }: FuzzedRequest, { path }: LiveRoute): boolean {
  if (isLong) return method !== 'GET' || wire !== '';
  return method === 'DELETE' || /^the method [A-Z]/.test(wire) || (method === 'POST' && endings.test(path));
}

/** Sends a request and checks the responses. Returns their statuses. */
async function sendAndCheck(route: LiveRoute, request: FuzzedRequest, primary: Credential): Promise<number[]> {
  const { credential, method, url, headers, payload, wire } = request;
  if (wire !== undefined) return checkWire(route, request, wire);
  const sent = { method, url, headers, ...(payload !== undefined && { payload }) };
  const answer = await suite.app.request({ ...sent, remoteAddress: freshAddress() });
  const isOtherPath = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(url);
  if (!isOtherPath) expectConventions(route, answer);
  // The name of a tenant in its portal is public.
  if (route.path !== '/api/v1/portal/{handle}') expectOwnData(credential, answer.text);
  if (!mayUse(route, credential)) expectRefused(request, answer);
  const refusal = refusalOf(route, request);
  // Clients shorten a path with the segment "..", and another route may answer.
  if (refusal !== undefined && answer.status < 400 && !isOtherPath) {
    throw new Error(`The document refuses ${refusal}, but the response is ${answer.status} ${answer.text}`);
  }
  if (answer.status < 300 && credential === primary) world.harvest.collect(route, answer);
  return [answer.status];
}

/** A client without access receives only the refusal of a guard, which reads no body, or of the router. */
const refusals = [400, 401, 403, 404, 405, 414, 429, 431];
/** No route accepts these in a query string, so every client gets the same 422. */
const escapedControl = /%(?:[01][0-9a-f]|7f)/i;

function expectRefused({ url }: FuzzedRequest, { status, text }: Answer): void {
  if (status === 422 && escapedControl.test(url)) return;
  expect(refusals, `the credential must not give access: ${status} ${text}`).toContain(status);
}

/** Expects none of the texts that were planted in tenants which the credential may not read. */
function expectOwnData({ reads }: Credential, text: string): void {
  if (reads === 'every') return;
  for (const [tenantId, marker] of Object.entries(world.markers)) {
    if (tenantId !== reads) expect(text, 'data of another tenant').not.toContain(marker);
  }
}

async function checkWire(route: LiveRoute, request: FuzzedRequest, wire: string): Promise<number[]> {
  const answers = await sendOverWire(suite.app, request, wire);
  for (const { status, headers, body } of answers) {
    expectHeaders({ status, headers, text: body });
    expectOwnData(request.credential, body);
    if (request.credential.access.kind === 'nothing' && route.security.length > 0) {
      expect(status, `no credential must not give access: ${body}`).toBeGreaterThanOrEqual(400);
    }
  }
  return answers.map(({ status }) => status);
}

/** Ensures that the generated requests are not all refused before they reach the handler. */
function expectHandlerReached(route: LiveRoute, statuses: readonly number[]): void {
  const { title } = route;
  expect(isSomeRefused(statuses), `${title} refuses some`).toBe(true);
  expect(isHandlerReached(route, statuses), `${title} accepts some of ${statuses}`).toBe(true);
}

const isSomeRefused = (statuses: readonly number[]) => statuses.some((status) => status >= 400);

function isHandlerReached(route: LiveRoute, statuses: readonly number[]): boolean {
  const isUnguessable = needSecrets.includes(fixedTitle(route)) || needsShop.test(route.title);
  return isUnguessable || statuses.some((status) => status < 400 || status === 409);
}

/** These paths of billing first copy the provider's state, which is audited, and then decide. */
const billingPaths = /\/(?:billing|subscriptions|invoices)\b/;

/** Exports of audit logs are audited before the response begins, so also for a client that is gone. */
const auditedExports = /\/(?:audit-logs|audit)\/export$/;

/**
 * Ignores the audit logs of audited exports, and the platform's audit log where a refused request is audited: a failed login, and an action on
 * an invoice or a subscription that its newest state does not allow.
 */
function comparable({ path }: LiveRoute, statuses: readonly number[], counts: RowCounts): RowCounts {
  const { 'platform.audit_logs': auditLogs = 0, ...others } = counts;
  const { 'tenant.audit_logs': tenantAuditLogs = 0, ...withoutTenant } = others;
  if (auditedExports.test(path)) return withoutTenant;
  const rest = { ...withoutTenant, 'tenant.audit_logs': tenantAuditLogs };
  const isConflict = statuses.some((status) => status === 402 || status === 409);
  const isAudited = fixedPath(path) === '/api/auth/login' || (billingPaths.test(path) && isConflict);
  return isAudited ? rest : { ...rest, 'platform.audit_logs': auditLogs };
}

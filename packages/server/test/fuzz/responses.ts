import { expect } from 'vitest';
import type { Answer } from '../support/harness.ts';
import { checkAgainst } from '../support/response-schemas.ts';
import type { LiveRoute } from '../support/routes.ts';

const traces = /\bat [^"]*:\d+:\d+|node_modules|\.[cm]?ts\b:\d|SQLITE_|sqlite|postgres|kysely/i;
const secrets = /(?:vx|service)_[0-9a-f]{64}|whsec_[A-Za-z0-9+/]{32,}/;

/** Successful responses with a standard format have no envelope. */
const standardDocuments = [
  '/api/v1/tenants/{tenantId}/jwks.json',
  '/api/v1/account/exports/{id}/download',
  '/api/v1/integration/feeds/{product}/tauri/{channel}',
  '/api/v1/integration/releases/{id}/artifacts/{artifact_id}/download/{file_name}',
];

/** Responses to updaters without a body. */
const withoutBody = [204, 302];

/** The statuses of requests that reach no route, besides 404. */
const withoutRoute = [405, 414, 431];

/** Failures of OFREP have a format of their own. */
const isOfrep = ({ path }: LiveRoute) => path.startsWith('/ofrep/');

/** Expects what the contract says about every response, with or without a route. */
export function expectHeaders(answer: Pick<Answer, 'status' | 'headers' | 'text'>): void {
  const { status, headers, text } = answer;
  expect(status, text).toBeLessThan(500);
  expect(headers['x-service-api-version']).toBe('1');
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (status === 405) expect(headers['allow'], 'Allow').toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  if (status === 429) expect(headers['retry-after'], 'Retry-After').toMatch(/^\d+$/);
  if (status === 401 && text.includes('AUTH.INVALID_TOKEN')) expect(headers['www-authenticate']).toBe('Bearer');
  if (secrets.test(text)) expect(headers['cache-control'], 'a secret is not cacheable').toContain('no-store');
  if (status >= 400) expect(text).not.toMatch(traces);
}

/** Expects what the contract and the OpenAPI document say about a response of a route. */
export function expectConventions(route: LiveRoute, answer: Answer): void {
  expectHeaders(answer);
  if (isOfrep(route)) {
    expectOfrep(route, answer);
    return;
  }
  const hasEnvelope = !standardDocuments.includes(route.path) && !route.answersFile;
  if (answer.status >= 400 || hasEnvelope) {
    expect(answer.body.meta).toMatchObject({ request_id: answer.headers['x-request-id'], api_version: '1' });
  }
  if (withoutBody.includes(answer.status))
    expect([answer.text, String(answer.status) in route.responses]).toEqual(['', true]);
  else if (answer.status < 400) expectDeclared(route, answer);
  else expectFailure(route, answer);
}

function expectOfrep(route: LiveRoute, answer: Answer): void {
  // Clients shorten a path whose key is "..", so that the request reaches no route.
  const isOtherPath = answer.status === 404 && answer.body.errorDetails.startsWith('ROUTE.NOT_FOUND:');
  if (!isOtherPath) expectDeclared(route, answer);
  if (answer.status >= 400) expect(answer.body.errorDetails).toMatch(/^[A-Z].*\.$/s);
}

function expectFailure(route: LiveRoute, answer: Answer): void {
  if (!withoutRoute.includes(answer.status) && answer.body.error.code !== 'ROUTE.NOT_FOUND') {
    expect(Object.keys(route.responses)).toContain(String(answer.status));
  }
  expect(Object.keys(answer.body).sort()).toEqual(['error', 'meta']);
  expect(answer.body.error.code).toMatch(/^[A-Z_]+(\.[A-Z_]+)+$/);
  expect(answer.body.error.message).toMatch(/^[A-Z].*\.$/s);
  if (answer.status === 422 && answer.body.error.code === 'VALIDATION.FAILED') {
    expect(answer.body.error.details.length).toBeGreaterThan(0);
  }
}

/** Expects a success with a status that the OpenAPI document declares, and a body that matches its schema. */
function expectDeclared(route: LiveRoute, answer: Answer): void {
  const declared = route.responses[String(answer.status)];
  expect(declared, `${answer.status} is not declared`).toBeDefined();
  if (route.answersFile) {
    const [type] = String(answer.headers['content-type']).split(';');
    expect(Object.keys(declared?.content ?? {})).toContain(type);
    return;
  }
  if (answer.status === 304) return;
  const schema = declared?.content?.['application/json']?.schema;
  if (schema === undefined) throw new Error(`${route.title} declares no body for ${answer.status}.`);
  expect(checkAgainst(schema)(answer.body), answer.text).toEqual([]);
}

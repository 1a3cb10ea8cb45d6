import { beforeAll, describe, expect, test } from 'vitest';
import { logInHolder, openPortal } from '../holders/portal-data.ts';
import { type Account, createUser, joinTenant, useTenant } from '../support/accounts.ts';
import type { Answer } from '../support/harness.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import { fillPath, type LiveRoute, liveRoutes, requiredFields, unknownValues } from '../support/routes.ts';

const suite = useTenant();
let viewer: Account;
let data: LicensingData;
/** The portal of the tenant, and a session of the holder of the license. */
let handle: string;
let holderToken: string;

beforeAll(async () => {
  viewer = await createUser(suite.app);
  await joinTenant(suite.app, viewer, suite.tenant.id, 'viewer');
  data = await createLicensingData(suite.tenant);
  handle = await openPortal(suite.tenant);
  holderToken = await logInHolder(suite.app, suite.tenant, handle, data.licenseId);
});

interface Sent {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | object;
}

function send({ method = 'GET', url, headers = {}, payload }: Sent, extra: object = {}): Promise<Answer> {
  const all = { ...headers, ...extra };
  return suite.app.request({ method, url, headers: all, ...(payload === undefined ? {} : { payload }) });
}

interface Kind {
  readonly kind: string;
  readonly status: number;
  readonly code?: string;
  readonly sent: () => Sent;
}

const products = '/api/v1/tenant/products';
const validate = '/api/v1/integration/licenses/UNKNOWN/validate';
const json = { 'content-type': 'application/json' };

/** One request for every kind of response. */
const kinds: readonly Kind[] = [
  {
    kind: 'a resource',
    status: 200,
    sent: () => ({ url: `${products}/${data.productId}`, headers: suite.tenant.owner.auth }),
  },
  { kind: 'a list', status: 200, sent: () => ({ url: products, headers: suite.tenant.owner.auth }) },
  {
    kind: 'a verdict',
    status: 200,
    sent: () => ({ method: 'POST', url: validate, headers: { 'x-api-key': suite.tenant.apiKey } }),
  },
  {
    kind: 'a creation',
    status: 201,
    sent: () => ({
      method: 'POST',
      url: '/api/v1/tenant/api-keys',
      headers: suite.tenant.owner.auth,
      payload: { name: 'A key' },
    }),
  },
  {
    kind: 'a deletion',
    status: 200,
    sent: () => ({
      method: 'DELETE',
      url: `/api/v1/tenant/api-keys/${data.spareApiKeyId}`,
      headers: suite.tenant.owner.auth,
    }),
  },
  { kind: 'health', status: 200, sent: () => ({ url: '/health' }) },
  {
    kind: 'broken JSON',
    status: 400,
    code: 'REQUEST.MALFORMED',
    sent: () => ({ method: 'POST', url: products, headers: { ...suite.tenant.owner.auth, ...json }, payload: '{' }),
  },
  {
    kind: 'a broken URL',
    status: 400,
    code: 'REQUEST.MALFORMED',
    sent: () => ({ url: `${products}/%zz`, headers: suite.tenant.owner.auth }),
  },
  { kind: 'no token', status: 401, code: 'AUTH.INVALID_TOKEN', sent: () => ({ url: products }) },
  { kind: 'no API key', status: 401, code: 'AUTH.INVALID_API_KEY', sent: () => ({ method: 'POST', url: validate }) },
  {
    kind: 'a role that is too low',
    status: 403,
    code: 'AUTH.ROLE_REQUIRED',
    sent: () => ({ method: 'POST', url: products, headers: viewer.auth, payload: { code: 'a', name: 'A' } }),
  },
  { kind: 'no such route', status: 404, code: 'ROUTE.NOT_FOUND', sent: () => ({ url: '/api/v1/nowhere' }) },
  {
    kind: 'no such resource',
    status: 404,
    code: 'RESOURCE.NOT_FOUND',
    sent: () => ({ url: `${products}/unknown`, headers: suite.tenant.owner.auth }),
  },
  {
    kind: 'no such method',
    status: 405,
    code: 'ROUTE.METHOD_NOT_ALLOWED',
    sent: () => ({ method: 'PATCH', url: products, headers: suite.tenant.owner.auth }),
  },
  {
    kind: 'a conflict',
    status: 409,
    code: 'PRODUCT.IN_USE',
    sent: () => ({ method: 'DELETE', url: `${products}/${data.productId}`, headers: suite.tenant.owner.auth }),
  },
  {
    kind: 'a body that is too large',
    status: 413,
    code: 'REQUEST.TOO_LARGE',
    sent: () => ({
      method: 'POST',
      url: products,
      headers: { ...suite.tenant.owner.auth, ...json },
      payload: ' '.repeat(1024 * 1024 + 1),
    }),
  },
  {
    kind: 'a path segment that is too long',
    status: 414,
    code: 'REQUEST.URI_TOO_LONG',
    sent: () => ({ url: `${products}/${'a'.repeat(513)}`, headers: suite.tenant.owner.auth }),
  },
  {
    kind: 'another media type',
    status: 415,
    code: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
    sent: () => ({
      method: 'POST',
      url: products,
      headers: { ...suite.tenant.owner.auth, 'content-type': 'text/csv' },
      payload: 'code,name',
    }),
  },
  {
    kind: 'bad fields',
    status: 422,
    code: 'VALIDATION.FAILED',
    sent: () => ({ method: 'POST', url: products, headers: suite.tenant.owner.auth, payload: {} }),
  },
];

describe.each(kinds)('$kind: $status $code', ({ kind, status, code, sent }) => {
  test(`the response to ${kind} has the envelope, the version and its own request id`, async () => {
    const [answer, another] = [await send(sent()), await send(sent())];
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['x-service-api-version']).toBe('1');
    expect(answer.headers['x-request-id']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(answer.headers['x-request-id']).not.toBe(another.headers['x-request-id']);
    expect(Object.keys(answer.body).sort()).toEqual([code === undefined ? 'data' : 'error', 'meta']);
    expect(answer.body.meta).toMatchObject({ request_id: answer.headers['x-request-id'], api_version: '1' });
    if (code !== undefined) expect(answer.body.error.message).toMatch(/^[A-Z].*\.$/);
  });

  test(`the response to ${kind} has the caller's request id`, async () => {
    const answer = await send(sent(), { 'x-request-id': 'Caller-1.2_3' });
    expect(answer.headers['x-request-id']).toBe('Caller-1.2_3');
    expect(answer.body.meta.request_id).toBe('Caller-1.2_3');
  });

  test.each(['with a space', 'a'.repeat(129), '', 'a/b', '<script>'])(
    'an invalid request id "%s" is replaced',
    async (given) => {
      const answer = await send(sent(), { 'x-request-id': given });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-/);
      expect(answer.text).not.toContain('<script>');
    },
  );

  test(`the response to ${kind} has the security headers and is not cacheable`, async () => {
    expect((await send(sent())).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });
});

test('the audit record of a change contains the request id', async () => {
  const created = await send(
    { method: 'POST', url: '/api/v1/tenant/api-keys', headers: suite.tenant.owner.auth, payload: { name: 'Traced' } },
    { 'x-request-id': 'trace-me' },
  );
  const audit = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${created.body.data.id}`);
  expect(audit.body.data).toMatchObject([{ event: 'API_KEY.CREATED', request_id: 'trace-me' }]);
});

describe('all routes', () => {
  const credentials = () => ({ ...suite.tenant.owner.auth, 'x-api-key': suite.tenant.apiKey });
  const urlOf = (route: LiveRoute) =>
    fillPath(route.path, {
      ...unknownValues(),
      tenantId: suite.tenant.id,
      id: data.activationId,
      creditNoteId: data.activationId,
      key: data.licenseKey,
      handle,
    });
  const headersOf = ({ path }: LiveRoute) => {
    if (path.startsWith('/api/v1/portal/')) return { authorization: `Bearer ${holderToken}` };
    return path.startsWith('/api/v1/admin/') ? suite.admin.auth : credentials();
  };
  const apiRoutes = () => liveRoutes(suite.app).filter(({ path }) => path.startsWith('/api/') && !/auth\//.test(path));

  test('every route refuses an unknown query parameter by its name', async () => {
    // An invalid body is reported first, so only routes without required fields show errors of the query string.
    const routes = apiRoutes().filter(({ body, method }) => method !== 'PATCH' && requiredFields(body).length === 0);
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      // The ids in the path are valid, because an invalid path is reported first.
      const sent = { method: route.method, url: `${urlOf(route)}?nmae=x`, headers: headersOf(route) };
      const answer = await send(sent);
      expect([answer.status, answer.body.error.code], route.title).toEqual([422, 'VALIDATION.FAILED']);
      // A parameter that is required and absent is named as well.
      const named = answer.body.error.details.map((detail: { field: string }) => detail.field);
      expect(named, route.title).toContain('nmae');
    }
  });

  test('every guarded route refuses a client without a credential with 401 before it checks the query and the body', async () => {
    // `/metrics` needs its token only where an operator has set one.
    const guarded = liveRoutes(suite.app).filter(({ security, path }) => security.length > 0 && path !== '/metrics');
    expect(guarded.length).toBeGreaterThan(100);
    for (const route of guarded) {
      const payload = route.method === 'GET' ? {} : { headers: json, payload: '{' };
      const answer = await send({ method: route.method, url: `${urlOf(route)}?nmae=x`, ...payload });
      expect(answer.status, route.title).toBe(401);
    }
  });

  test('every route refuses unknown fields, and fields that only the service sets, by name', async () => {
    const fields = { nmae: 'x', tenant_id: suite.tenant.id, created_at: '2026-01-01T00:00:00Z', key_hash: 'x' };
    // The suite of file uploads covers unknown fields of rows.
    const writes = apiRoutes().filter(
      ({ method, fileTypes }) => ['POST', 'PUT', 'PATCH'].includes(method) && fileTypes.length === 0,
    );
    expect(writes.length).toBeGreaterThan(15);
    for (const route of writes) {
      const answer = await send({
        method: route.method,
        url: urlOf(route),
        headers: headersOf(route),
        payload: fields,
      });
      expect([answer.status, answer.body.error.code], route.title).toEqual([422, 'VALIDATION.FAILED']);
      const named = answer.body.error.details.map((detail: { field: string }) => detail.field);
      // On routes where an admin chooses the tenant, tenant_id is a regular field.
      const own = Object.keys((route.body?.['properties'] as object | undefined) ?? {});
      const refused = Object.keys(fields).filter((field) => !own.includes(field));
      expect(named, route.title).toEqual(expect.arrayContaining(refused));
    }
  });

  test('HEAD on every route returns the status and headers of GET without a body', async () => {
    const reads = liveRoutes(suite.app).filter(({ method }) => method === 'GET');
    for (const route of reads) {
      const [get, head] = [
        await send({ url: urlOf(route), headers: headersOf(route) }),
        await send({ method: 'HEAD', url: urlOf(route), headers: headersOf(route) }),
      ];
      expect(head.status, route.title).toBe(get.status);
      expect(head.text, route.title).toBe('');
      expect(head.headers['content-type'], route.title).toBe(get.headers['content-type']);
      expect(head.headers['x-service-api-version'], route.title).toBe('1');
    }
  });

  test('an unsupported method on any path is a 405 that lists the supported methods', async () => {
    const routes = liveRoutes(suite.app);
    for (const path of new Set(routes.map((route) => route.path))) {
      const ofPath = routes.filter((route) => route.path === path);
      const [any] = ofPath;
      if (any === undefined) continue;
      const allowed = ofPath.map(({ method }) => method);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        if (allowed.some((name) => name === method)) continue;
        const answer = await send({ method, url: urlOf(any), headers: headersOf(any) });
        // OFREP has a format of its own, whose details begin with the service's code.
        const code = answer.body.error?.code ?? answer.body.errorDetails.split(':', 1)[0];
        expect([answer.status, code], `${method} ${path}`).toEqual([405, 'ROUTE.METHOD_NOT_ALLOWED']);
        expect(String(answer.headers['allow']).split(', '), `${method} ${path}`).toEqual(
          expect.arrayContaining(allowed),
        );
        expect(String(answer.headers['allow']).split(', ')).not.toContain(method);
      }
    }
  });
});

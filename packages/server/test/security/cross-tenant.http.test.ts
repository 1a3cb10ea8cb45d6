import { beforeAll, describe, expect, test } from 'vitest';
import { isUuid, newId } from '../../src/lib/ids.ts';
import { logInHolder, openPortal } from '../holders/portal-data.ts';
import { freshAddress, type TestTenant, useAdmin } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import {
  fillPath,
  type JsonSchema,
  type LiveRoute,
  liveRoutes,
  registeredRoutes,
  requiredFields,
  unknownValues,
} from '../support/routes.ts';
import { platformPaths, publicPaths, typePaths, userPaths } from './cross-tenant-paths.ts';

// With a frozen clock, equivalent responses are equal.
useClock();
const suite = useAdmin();
let own: TestTenant;
let foreign: TestTenant;
let foreignData: LicensingData;
/** The portal of the own tenant, and a session of the holder of its license. */
let handle: string;
let holderToken: string;

beforeAll(async () => {
  const { app } = suite;
  foreign = await suite.newTenant('Foreign');
  own = await suite.newTenant('Own');
  foreignData = await createLicensingData(foreign);
  const ownData = await createLicensingData(own);
  handle = await openPortal(own);
  holderToken = await logInHolder(app, own, handle, ownData.licenseId);
});

type Surface = 'tenant' | 'admin' | 'integration' | 'portal';

const prefixes: Readonly<Record<Surface, string>> = {
  tenant: '/api/v1/tenant/',
  admin: '/api/v1/admin/tenants/{tenantId}/',
  integration: '/api/v1/integration/',
  portal: '/api/v1/portal/{handle}/licenses',
};

function surfaceOf({ path }: LiveRoute): Surface | undefined {
  return (Object.keys(prefixes) as Surface[]).find((surface) => path.startsWith(prefixes[surface]));
}

/** Returns the routes whose path identifies a resource of a tenant. */
function probedRoutes(): LiveRoute[] {
  const hasId = ({ path }: LiveRoute) => /\{(?!tenantId\}|handle\})/.test(path) && !typePaths.includes(path);
  return liveRoutes(suite.app).filter((route) => surfaceOf(route) !== undefined && hasId(route));
}

/** What `{id}` stands for in a path that contains a text. The first that matches counts. */
const idsInPaths: readonly (readonly [part: string, field: keyof LicensingData])[] = [
  ['/integration/releases', 'releaseId'],
  ['/integration/feeds', 'productId'],
  ['/connections', 'connectionId'],
  ['/mails', 'mailId'],
  ['/bulk-operations', 'bulkOperationId'],
  ['/license-batches', 'batchId'],
  ['/licenses/imports', 'importId'],
  ['/products', 'productId'],
  ['/policies', 'policyId'],
  ['/customers', 'customerEmail'],
  ['/api/v1/portal/', 'licenseId'],
  ['/licenses/{id}/activations', 'licenseId'],
  ['/activations', 'activationId'],
  ['/licenses', 'licenseId'],
  ['/entitlements', 'entitlementId'],
  ['/webhooks', 'webhookId'],
  ['/webhook-deliveries', 'deliveryId'],
  ['/api-keys', 'spareApiKeyId'],
  ['/access-tokens', 'spareAccessTokenId'],
  ['/notifications', 'notificationId'],
  ['/members', 'memberId'],
];

/** Returns the id that `{id}` in a path stands for. */
function ownIdFor(path: string, data: LicensingData): string {
  const [, field] = idsInPaths.find(([part]) => path.includes(part)) ?? [];
  if (field !== undefined) return data[field];
  throw new Error(`${path} identifies a resource that this suite does not know: add it to createLicensingData.`);
}

let versions = 0;

/** Returns a body that the route accepts. Throws for a required field that this suite does not know. */
function bodyFor(route: LiveRoute, data: LicensingData): object | undefined {
  if (route.body === undefined) return undefined;
  const required = requiredFields(route.body);
  const known: Readonly<Record<string, unknown>> = {
    name: 'Another name',
    code: newId(),
    type: 'boolean',
    product_id: data.productId,
    policy_id: data.policyId,
    product: data.productId,
    fingerprint: data.fingerprint,
    title: 'A title',
    body: 'A text.',
    role: 'admin',
    events: [{ entitlement: data.code, quantity: 1 }],
    url: `https://hooks.example.com/${newId()}`,
    since: '2026-01-01T00:00:00Z',
    license_id: data.licenseId,
    request: '{}',
    action: { type: 'suspend' },
    count: 1,
    provider: 'custom',
    external_id: newId(),
    text: 'A note.',
    version: `1.0.${++versions}`,
    reason: 'A reason.',
    license_key: data.licenseKey,
    platform: 'windows',
    arch: 'x64',
  };
  const properties = Object.keys((route.body['properties'] as object | undefined) ?? {});
  // It needs a device or an address, and the schema requires neither.
  const optional = route.title.endsWith('/allow-trial') ? ['fingerprint'] : [];
  const chosen = route.method === 'PUT' && properties.includes('metadata') ? ['metadata'] : [...required, ...optional];
  return Object.fromEntries(
    chosen.map((field) => {
      if (field === 'metadata') return [field, { note: newId() }];
      if (!(field in known))
        throw new Error(`${route.title} requires ${field}, which this suite does not know: add it to bodyFor.`);
      return [field, known[field]];
    }),
  );
}

/** The names of the ids below a connection or a customer. */
const nestedNames = [
  ...['note_id', 'offer_id', 'event_id', 'sale_id', 'comparison_id', 'difference_id', 'release_id', 'artifact_id'],
] as const;

function nested(id = newId()): Readonly<Record<string, string>> {
  return Object.fromEntries(nestedNames.map((name) => [name, id]));
}

/** The parameters of feeds besides the product, and of their files. */
const feedValues = { channel: 'stable', file: 'latest.yml', file_name: 'Editor.exe' };

/** Paths that need a sale, which a job writes, or a shop with an API. The suites in test/sales request them. */
const needsShop = /\/connections\/\{id\}\/(catalog|comparisons|test-sale|sales\/)/;

function send(
  route: Pick<LiveRoute, 'method' | 'path'>,
  tenant: TestTenant,
  values: Readonly<Record<string, string>>,
  options: { method?: string; body?: object | undefined; query?: string } = {},
): Promise<Answer> {
  const { method = route.method, body, query = '' } = options;
  const bySurface = {
    tenant: tenant.owner.auth,
    admin: suite.admin.auth,
    integration: { 'x-api-key': tenant.apiKey, 'x-license-key': values['key'] ?? '' },
    portal: { authorization: `Bearer ${holderToken}` },
  };
  const surface = surfaceOf(route as LiveRoute) ?? 'tenant';
  const others = { email: values['id'] ?? '', activation_id: values['id'] ?? newId(), handle, ...nested(values['id']) };
  const ofFeed = { product: values['id'] ?? '', ...feedValues };
  const asked = query === '' && route.path.includes('/tauri/') ? '?target=windows&arch=x86_64' : query;
  const url = fillPath(route.path, { ...others, ...ofFeed, ...values, tenantId: tenant.id }) + asked;
  return suite.app.request({
    method: method as 'GET',
    url,
    headers: bySurface[surface],
    ...(surface === 'portal' && { remoteAddress: freshAddress() }),
    ...(body && { payload: body }),
  });
}

/** Returns what a caller can learn from a response, without the parts that differ between equal requests. */
function essence({ status, body, headers, text }: Answer) {
  const { meta: _meta, ...rest } = body ?? {};
  // The frozen clock still increments microseconds.
  const timeless = JSON.stringify(rest).replace(/\.\d{6}Z/g, 'Z');
  // Responses without JSON are compared by their text.
  const file = body === undefined ? text : '';
  return { status, body: JSON.parse(timeless), file, allow: headers['allow'], length: headers['content-length'] };
}

const identifiers = ({ spareApiKeyId, ...data }: LicensingData) => [...Object.values(data), spareApiKeyId];

test('every route with a path parameter is covered by this suite', () => {
  const withParameters = liveRoutes(suite.app).filter(({ path }) => path.includes('{'));
  const ofPlatform = withParameters.filter(({ path }) =>
    [...platformPaths, ...userPaths, ...publicPaths, ...typePaths].includes(path),
  );
  const known = new Set([...ofPlatform, ...probedRoutes()].map(({ title }) => title));
  for (const route of withParameters) {
    const isOfAdminSurfaceOnly = surfaceOf(route) === 'admin' && !/\{(?!tenantId\})/.test(route.path);
    expect(known.has(route.title) || isOfAdminSurfaceOnly, `${route.title} belongs to no surface`).toBe(true);
  }
  for (const route of probedRoutes()) {
    const id = ownIdFor(route.path, foreignData);
    const { licenseKey: key, activationId: activation_id } = foreignData;
    const ofFeed = { product: id, ...feedValues };
    const values = { tenantId: own.id, id, email: id, key, handle, activation_id, ...ofFeed, ...nested(id) };
    expect(() => fillPath(route.path, values)).not.toThrow();
  }
  const hidden = registeredRoutes(suite.app).filter((route) => / \/(api|ofrep|webhooks)\/.*\{\}/.test(route));
  expect(hidden).toHaveLength(withParameters.length);
});

function isReference(name: string, schema: JsonSchema): boolean {
  // The ids of a shop are its own.
  const isOurs = name !== 'external_id' && name !== 'checkout_id';
  return isOurs && (schema['format'] === 'uuid' || name.endsWith('_id') || name === 'product');
}

describe('ids of another tenant', () => {
  test('an id of another tenant gets the same response as an unknown id on every route and method', async () => {
    const routes = probedRoutes();
    expect(routes.length).toBeGreaterThan(25);
    for (const route of routes) await probe(route);
  });

  async function probe(route: LiveRoute): Promise<void> {
    const body = bodyFor(route, foreignData);
    const methods = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
    for (const method of methods) {
      const sendWith = (id: string, key: string) => send(route, own, { id, key }, { method, body });
      // Validation distinguishes UUIDs from other text, so each id is compared with an unknown id of its kind.
      const unknownUuid = essence(await sendWith(newId(), unknownKey));
      const unknownText = essence(await sendWith('unknown', unknownKey));
      for (const id of [...identifiers(foreignData), foreign.id, foreign.owner.id, foreign.apiKeyId]) {
        const answer = await sendWith(id, foreignData.licenseKey);
        const title = `${method} ${route.path} with ${id}`;
        expect(essence(answer), title).toEqual(isUuid(id) ? unknownUuid : unknownText);
        expectNothingFound(answer, title);
      }
    }
  }

  /** Has the format of a generated key. */
  const unknownKey = 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA';

  function expectNothingFound(answer: Answer, title: string): void {
    const isNegativeVerdict = answer.status === 200 && answer.body?.data?.valid === false;
    if (isNegativeVerdict) expect(answer.body.data, title).toMatchObject({ code: 'LICENSE.NOT_FOUND', license: null });
    else expect(answer.status, title).toBe(404);
    if (answer.status === 404 && answer.text !== '') expect(answer.body.error.code, title).toMatch(/NOT_FOUND$/);
  }

  test('an id of another tenant gets the same 405 as an unknown id on methods that a path does not have', async () => {
    const paths = new Map(probedRoutes().map((route) => [route.path, route]));
    for (const route of paths.values()) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const isRoute = probedRoutes().some((other) => other.path === route.path && other.method === method);
        if (isRoute) continue;
        const id = ownIdFor(route.path, foreignData);
        const unknown = await send(route, own, { id: newId(), key: unknownKey }, { method });
        const answer = await send(route, own, { id, key: foreignData.licenseKey }, { method });
        expect(answer.status, `${method} ${route.path}`).toBe(405);
        expect(essence(answer)).toEqual(essence(unknown));
      }
    }
  });

  test('an id of another tenant gets the same response as an unknown id in bodies and filters', async () => {
    let probes = 0;
    // A tenant of its own: exports store their filters in its audit log, so foreign ids appear there.
    const asking = await suite.newTenant('Asking');
    const data = await createLicensingData(asking);
    for (const route of liveRoutes(suite.app).filter((candidate) => surfaceOf(candidate) !== undefined)) {
      const values = { id: /\{id\}/.test(route.path) ? ownIdFor(route.path, data) : '', key: data.licenseKey };
      for (const request of referencesOf(route, data)) {
        const unknown = essence(await send(route, asking, values, request(newId())));
        for (const id of identifiers(foreignData).filter(isUuid)) {
          expect(essence(await send(route, asking, values, request(id))), route.title).toEqual(unknown);
          probes += 1;
        }
      }
    }
    expect(probes).toBeGreaterThan(50);
  });

  /** Returns one function per body field and filter that takes an id. Each creates a request with a given id. */
  function referencesOf(route: LiveRoute, data: LicensingData) {
    const properties = (route.body?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
    const fields = Object.keys(properties).filter((name) => isReference(name, properties[name] ?? {}));
    const filters = route.queryParameters.filter(({ name, schema }) => isReference(name, schema));
    return [
      ...fields.map((name) => (id: string) => ({ body: { ...bodyFor(route, data), [name]: id } })),
      ...filters.map(({ name }) => (id: string) => ({ query: `?${name}=${id}` })),
    ];
  }
});

let changedData: LicensingData | undefined;

/**
 * Most changes may follow others, because a resource in another state is found as well. Resources that end need to be new,
 * and a valid license one that nothing has changed.
 */
async function dataFor({ method, path }: LiveRoute): Promise<LicensingData> {
  const changesNothing = path.endsWith('/validate') || path.startsWith(`${prefixes.integration}releases`);
  if (method === 'GET' || changesNothing) return foreignData;
  const ends = method === 'DELETE' || /\/(deactivate|revoke|rotate-key)$/.test(path);
  if (ends && !path.includes('/releases')) return await createLicensingData(foreign);
  changedData ??= await createLicensingData(foreign);
  return changedData;
}

test('the same requests succeed for resources of the own tenant, so the cross-tenant tests can fail', async () => {
  // The suites in test/holders send the same requests for the holder's own licenses.
  for (const route of probedRoutes().filter((one) => surfaceOf(one) !== 'portal' && !needsShop.test(one.path))) {
    const data = await dataFor(route);
    const ofShop = { offer_id: data.offerId, event_id: data.saleEventId, note_id: data.noteId };
    const ofRelease = { release_id: data.releaseId, artifact_id: data.artifactId };
    const values = { id: ownIdFor(route.path, data), key: data.licenseKey, ...ofShop, ...ofRelease };
    const answer = await send(route, foreign, values, { body: bodyFor(route, data) });
    // 409: the resource was found, but its state refuses the request, such as a product with policies.
    const found = route.method === 'GET' ? [200, 302] : [200, 201, 202, 409];
    expect(found, `${route.title}: ${answer.text}`).toContain(answer.status);
    if (answer.body?.data?.valid !== undefined) expect(answer.body.data.valid, route.title).toBe(true);
  }
});

describe('lists', () => {
  const collections = () =>
    liveRoutes(suite.app).filter(
      (route) => route.method === 'GET' && surfaceOf(route) !== undefined && !probedRoutes().includes(route),
    );

  test('lists show every resource of the own tenant and none of another tenant', async () => {
    const shown = new Set<string>();
    const needles = [...identifiers(foreignData), foreign.id, foreign.owner.id, foreign.apiKeyId];
    const lists = collections().filter((route) => !/\{(?!tenantId\})/.test(route.path));
    expect(lists.length).toBeGreaterThan(10);
    for (const route of lists) {
      const isPaged = route.queryParameters.some(({ name }) => name === 'limit');
      const query = isPaged ? '?limit=100' : '';
      const answer = await send(route, own, {}, { query });
      expect(answer.status, route.title).toBe(200);
      const shownItems = route.answersFile ? answer.text.split('\n').slice(1, -1) : Object.keys(answer.body.data);
      expect(shownItems.length, `${route.title} is not empty`).toBeGreaterThan(0);
      const leaked = needles.filter((needle) => answer.text.includes(needle));
      expect(leaked, route.title).toEqual([]);
      const ofForeign = await send(route, foreign, {}, { query });
      for (const needle of needles) if (ofForeign.text.includes(needle)) shown.add(needle);
    }
    // What belongs to a connection or a product is listed below it, and imports are in no list.
    const {
      fingerprint: _fingerprint,
      offerId: _offer,
      saleEventId: _event,
      importId: _import,
      ...listed
    } = foreignData;
    const { releaseId: _release, artifactId: _artifact, ...ids } = listed;
    expect([...shown]).toEqual(expect.arrayContaining([...Object.values(ids), foreign.apiKeyId]));
  });

  test('a cursor of another tenant lists only resources of the own tenant', async () => {
    await createLicensingData(foreign);
    const page = await foreign.asOwner('GET', '/licenses?limit=1');
    const cursor = page.body.meta.next_cursor;
    expect(cursor).toEqual(expect.any(String));
    const answer = await own.asOwner('GET', `/licenses?limit=100&cursor=${cursor}`);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(foreignData.licenseId);
  });
});

test('X-Tenant-ID of another tenant is refused on every route like an unknown tenant id', async () => {
  for (const route of liveRoutes(suite.app).filter((candidate) => surfaceOf(candidate) === 'tenant')) {
    const url = fillPath(route.path, unknownValues());
    const sendFor = (tenantId: string) =>
      suite.app.request({ method: route.method, url, headers: { ...own.owner.auth, 'x-tenant-id': tenantId } });
    const answer = await sendFor(foreign.id);
    expect([answer.status, answer.body.error.code], route.title).toEqual([403, 'TENANT.ACCESS_DENIED']);
    expect(essence(answer), route.title).toEqual(essence(await sendFor(newId())));
  }
});

test('the credentials of a tenant are refused on every route of the admin surface', async () => {
  for (const route of liveRoutes(suite.app)) {
    if (!route.path.startsWith('/api/v1/admin/')) continue;
    const url = fillPath(route.path, { ...unknownValues(), tenantId: own.id });
    const answer = await suite.app.request({ method: route.method, url, headers: own.owner.auth });
    expect([answer.status, answer.body.error.code], route.title).toEqual([401, 'AUTH.INVALID_TOKEN']);
  }
});

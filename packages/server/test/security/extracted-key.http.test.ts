import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import { fillPath, type LiveRoute, liveRoutes } from '../support/routes.ts';

// Anybody can extract the API key that ships with an application: docs/security.md says what the key allows.
const suite = useTenant();
let data: LicensingData;

beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
});

const integration = '/api/v1/integration';
const guarded = ['tenant', 'admin', 'account', 'billing', 'onboarding'].map((surface) => `/api/v1/${surface}/`);

function send({ method, path }: LiveRoute, headers: Record<string, string>) {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const values = Object.fromEntries(names.map((name) => [name, name === 'tenantId' ? suite.tenant.id : newId()]));
  return suite.app.request({ method, url: fillPath(path, values), headers });
}

test('an extracted API key opens no route of users and administrators, neither in its own header nor as a token', async () => {
  const routes = liveRoutes(suite.app).filter(({ path }) => guarded.some((prefix) => `${path}/`.startsWith(prefix)));
  expect(routes.length).toBeGreaterThan(100);
  const { apiKey } = suite.tenant;
  for (const route of routes) {
    for (const headers of [{ 'x-api-key': apiKey }, { authorization: `Bearer ${apiKey}` }]) {
      const { status, body } = await send(route, { ...headers, 'x-tenant-id': suite.tenant.id });
      expect([route.title, status, body.error.code]).toEqual([route.title, 401, 'AUTH.INVALID_TOKEN']);
    }
  }
});

test('an extracted API key finds no license: every route of the Integration API requires the key of a license, or gives a trial', () => {
  const paths = liveRoutes(suite.app).flatMap(({ path }) => (path.startsWith(`${integration}/`) ? [path] : []));
  expect(paths.length).toBeGreaterThan(5);
  // They need a scope of their own, and return the license of the caller's device (test/holders/trials.http.test.ts).
  const trials = ['/trials', '/trials/confirm'].map((path) => integration + path);
  // These need the key of a license for more than the newest version of a product (test/releases).
  const ofReleases = /\/integration\/(?:releases|feeds)\//;
  const others = paths.filter((path) => !path.startsWith(`${integration}/licenses/{key}/`));
  expect(others.filter((path) => !ofReleases.test(path))).toEqual(trials);
});

test('an activation can be renewed and released only with the key of its own license', async () => {
  const { tenant } = suite;
  const { policy_id } = (await tenant.asOwner('GET', `/licenses/${data.licenseId}`)).body.data;
  const other = (await tenant.asOwner('POST', '/licenses', { policy_id })).body.data;
  const act = (key: string, action: string) =>
    tenant.asApplication(`/licenses/${key}/activations/${data.activationId}/${action}`);
  for (const action of ['heartbeat', 'deactivate']) {
    const refused = await act(other.key, action);
    expect([refused.status, refused.body.error.code]).toEqual([404, 'ACTIVATION.NOT_FOUND']);
  }
  expect((await act(data.licenseKey, 'heartbeat')).status).toBe(200);
});

describe('an API key with the scope licenses:validate only', () => {
  test.each([
    ['activate a device', '/activations', { fingerprint: 'stolen' }],
    ['list the devices of a license', '/activations/list', {}],
    ['release a device', `/activations/${newId()}/deactivate`, undefined],
    ['check entitlements', '/entitlements/check', {}],
    ['report usage', '/usage', { events: [{ entitlement: 'calls', quantity: 1 }] }],
  ])('cannot %s', async (_what, path, payload) => {
    const fields = { name: 'Shipped', scopes: ['licenses:validate'] };
    const { key } = (await suite.tenant.asOwner('POST', '/api-keys', fields)).body.data;
    const request = { method: 'POST', headers: { 'x-api-key': key }, ...(payload && { payload }) } as const;
    const url = `${integration}/licenses/${data.licenseKey}`;
    const refused = await suite.app.request({ ...request, url: url + path });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
    expect((await suite.app.request({ ...request, payload: {}, url: `${url}/validate` })).status).toBe(200);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import type { Answer } from '../support/harness.ts';
import { badFields, created, eventsOf, newPolicy } from '../support/licensing-catalog.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import { liveRoutes } from '../support/routes.ts';

const suite = useTenant();
let own: LicensingData;
let other: LicensingData;
/** A key that is bound to the product of `own`, with every scope. */
let boundKey: string;
let boundKeyId: string;

const scopes = [
  'licenses:validate',
  'activations:write',
  'entitlements:check',
  'usage:write',
  'trials:create',
  'releases:read',
];

beforeAll(async () => {
  own = await createLicensingData(suite.tenant);
  other = await createLicensingData(suite.tenant);
  const fields = { name: 'Bound', scopes, product_id: own.productId };
  const answer = created(await suite.tenant.asOwner('POST', '/api-keys', fields));
  expect(answer.product_id).toBe(own.productId);
  ({ key: boundKey, id: boundKeyId } = answer);
});

const ask = (key: string, path: string, payload: object): Promise<Answer> =>
  suite.app.request({ method: 'POST', url: `/api/v1/integration${path}`, headers: { 'x-api-key': key }, payload });

/** The body of each route that names a license, after the path of the license. A new route needs one here. */
const bodies: Readonly<Record<string, (data: LicensingData) => object>> = {
  '/validate': ({ fingerprint, code }) => ({ fingerprint, entitlements: [code], product: code }),
  '/activations': () => ({ fingerprint: `new-${newId()}` }),
  '/activations/list': ({ fingerprint }) => ({ fingerprint }),
  '/activations/{id}/heartbeat': () => ({}),
  '/activations/{id}/deactivate': () => ({}),
  '/entitlements/check': ({ code }) => ({ entitlements: [code] }),
  '/usage': ({ code }) => ({ events: [{ entitlement: code, quantity: 1 }] }),
  '/certificate': ({ fingerprint }) => ({ fingerprint }),
};
const prefix = '/api/v1/integration/licenses/{key}';

/** What a caller learns from an answer, without what differs between two equal requests. */
function learned({ status, body }: Answer): unknown {
  const { data, error } = body;
  if (error !== undefined) return { status, error };
  return { status, data: { ...data, checked_at: undefined } };
}

describe('an API key that is bound to a product', () => {
  test('every route that names a license is tested here', () => {
    const named = liveRoutes(suite.app).filter(({ path }) => path.startsWith('/api/v1/integration/'));
    const paths = named.map(({ path }) => path).filter((path) => path.includes('{key}'));
    expect(paths.map((path) => path.slice(prefix.length)).sort()).toEqual(Object.keys(bodies).sort());
    const others = named.map(({ path }) => path).filter((path) => !path.includes('{key}'));
    // The suites in test/releases ask for releases and feeds with a key of another product.
    const ofReleases = /integration\/(?:releases|feeds)\//;
    expect(others.filter((path) => !ofReleases.test(path))).toEqual([
      ...['/api/v1/integration/trials', '/api/v1/integration/trials/confirm'],
    ]);
  });

  test.for(Object.entries(bodies))(
    '%s answers for another product as for a key of no license',
    async ([route, body]) => {
      const path = (key: string) => `/licenses/${key}${route.replace('{id}', other.activationId)}`;
      const unknown = await ask(boundKey, path('UNKNOWN-KEY'), body(other));
      for (const typed of [other.licenseKey, other.licenseKey.toLowerCase(), other.licenseKey.replaceAll('-', '')]) {
        expect(learned(await ask(boundKey, path(typed), body(other)))).toEqual(learned(unknown));
      }
      // The same request with a key of all products reaches the license.
      const reached = await ask(suite.tenant.apiKey, path(other.licenseKey), body(other));
      expect(learned(reached)).not.toEqual(learned(unknown));
      expect(reached.status).toBeLessThan(300);
    },
  );

  test('it reaches the licenses of its product, also one that was just validated with another key', async () => {
    const path = `/licenses/${own.licenseKey}/validate`;
    expect((await ask(boundKey, path, {})).body.data.valid).toBe(true);
    const others = `/licenses/${other.licenseKey}/validate`;
    expect((await ask(suite.tenant.apiKey, others, {})).body.data.valid).toBe(true);
    expect((await ask(boundKey, others, {})).body.data).toMatchObject({ code: 'LICENSE.NOT_FOUND', license: null });
  });

  test('a signed verdict about a license of another product names no license', async () => {
    const nonce = 'a fresh nonce of a test';
    const { data } = (await ask(boundKey, `/licenses/${other.licenseKey}/validate`, { proof: true, nonce })).body;
    const claims = JSON.parse(Buffer.from(data.proof.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({
      sub: null,
      product: null,
      valid: false,
      key_hint: `…${other.licenseKey.slice(-4)}`,
    });
  });

  test('it starts trials of its product only', async () => {
    for (const { productId, status } of [
      { productId: own.productId, status: 201 },
      { productId: other.productId, status: 404 },
    ]) {
      const policy = await newPolicy(suite.tenant, { product_id: productId, duration_days: 14 });
      await suite.tenant.asOwner('PUT', `/products/${productId}`, { trial_policy_id: policy.id });
      const asked = { product: productId, fingerprint: newId() };
      expect((await ask(boundKey, '/trials', asked)).status).toBe(status);
    }
  });

  test('a change of its product, scopes and limits counts from the next request on, and is recorded', async () => {
    const change = (fields: object) => suite.tenant.asOwner('PUT', `/api-keys/${boundKeyId}`, fields);
    const path = `/licenses/${other.licenseKey}/validate`;
    expect((await change({ product_id: null, name: 'Free' })).body.data).toMatchObject({
      product_id: null,
      name: 'Free',
    });
    expect((await ask(boundKey, path, {})).body.data.valid).toBe(true);
    await change({ scopes: ['usage:write'] });
    expect((await ask(boundKey, path, {})).body.error.code).toBe('AUTH.SCOPE_REQUIRED');
    await change({ scopes, rate_limit_per_minute: 1 });
    await ask(boundKey, path, {});
    expect((await ask(boundKey, path, {})).status).toBe(429);
    const restored = await change({ product_id: own.productId, rate_limit_per_minute: null, name: 'Bound' });
    expect(restored.body.data).toMatchObject({ product_id: own.productId, rate_limit_per_minute: null, scopes });
    expect((await eventsOf(suite.tenant, boundKeyId)).filter((event) => event === 'API_KEY.UPDATED')).toHaveLength(4);
    expect((await change({ name: 'Bound' })).status).toBe(200);
    expect((await eventsOf(suite.tenant, boundKeyId)).filter((event) => event === 'API_KEY.UPDATED')).toHaveLength(4);
  });

  test.for([
    [{ product_id: newId() }, ['product_id']],
    [{ allowed_cidrs: ['nowhere'] }, ['allowed_cidrs.0']],
    [{ expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']],
  ] as const)('the change %j of a key is refused', async ([fields, bad]) => {
    const refused = await suite.tenant.asOwner('PUT', `/api-keys/${boundKeyId}`, fields);
    expect([refused.status, badFields(refused)]).toEqual([422, bad]);
  });

  test('an admin renames a key, and a revoked key cannot be changed', async () => {
    const { id } = created(await suite.tenant.asOwner('POST', '/api-keys', { name: 'Old' }));
    const url = `/api/v1/admin/tenants/${suite.tenant.id}/api-keys/${id}`;
    const headers = suite.admin.auth;
    const renamed = await suite.app.request({ method: 'PUT', url, headers, payload: { name: 'New' } });
    expect(renamed.body.data.name).toBe('New');
    expect((await eventsOf(suite.tenant, id))[0]).toBe('API_KEY.UPDATED_BY_ADMIN');
    await suite.tenant.asOwner('DELETE', `/api-keys/${id}`);
    const refused = await suite.tenant.asOwner('PUT', `/api-keys/${id}`, { name: 'Again' });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'API_KEY.REVOKED']);
  });
});

import { createPublicKey, verify } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { badFields, created, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useApp({ PUBLIC_URL: 'https://licensing.example.com' });
let admin: Account;
let tenant: TestTenant;
let stranger: TestTenant;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
  stranger = await createTenant(suite.app, admin, 'Other');
});

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const seconds = () => Math.floor(Date.now() / 1000);
const certify = (key: string, body?: object) => tenant.asApplication(`/licenses/${key}/certificate`, body);
const activate = (key: string, fingerprint: string) =>
  tenant.asApplication(`/licenses/${key}/activations`, { fingerprint });

async function keySetOf({ id }: { readonly id: string }): Promise<JSONWebKeySet> {
  const answer = await suite.app.request({ method: 'GET', url: `/api/v1/tenants/${id}/jwks.json` });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function payloadOf(certificate: string) {
  const { payload } = await jwtVerify(certificate, createLocalJWKSet(await keySetOf(tenant)), {
    typ: 'license+jwt',
    issuer: 'https://licensing.example.com',
    audience: tenant.id,
    algorithms: ['EdDSA'],
  });
  return payload;
}

/** RFC 7515 by hand, with nothing but the runtime's own Ed25519. */
function verifiesByHand(certificate: string, { keys }: JSONWebKeySet): boolean {
  const [header = '', payload = '', signature = ''] = certificate.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const jwk = keys.find((key) => key.kid === kid);
  if (jwk === undefined) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: String(jwk.x) }, format: 'jwk' });
  return verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
}

describe('a certificate', () => {
  test('says what the license grants, and two independent implementations verify it', async () => {
    const types = { export: 'boolean', seats: 'value', withheld: 'boolean', beta: 'boolean', calls: 'metered' };
    await defineEntitlements(tenant, types);
    const usedUp = { code: 'calls', limit: 0, reset: 'day' };
    const entitlements = [{ code: 'export' }, { code: 'seats', value: 7 }, usedUp, { code: 'withheld' }];
    const overrides = [
      { code: 'beta', expires_at: inDays(1) },
      { code: 'withheld', value: false },
    ];
    const license = await newLicense(tenant, { entitlements }, { entitlements: overrides });
    const policy = (await tenant.asOwner('GET', `/policies/${license.policy_id}`)).body.data;
    const product = (await tenant.asOwner('GET', `/products/${license.product_id}`)).body.data;
    const answer = await certify(license.key, { fingerprint: 'machine-1', ttl_seconds: 600 });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { certificate, expires_at } = answer.body.data;
    expect(expires_at).toBe(new Date((seconds() + 600) * 1000).toISOString().replace('Z', '000Z'));
    const unlimited = { value: null, limit: null, expires_at: null };
    expect(await payloadOf(certificate)).toEqual({
      iss: 'https://licensing.example.com',
      aud: tenant.id,
      sub: license.id,
      iat: seconds(),
      nbf: seconds(),
      exp: seconds() + 600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key_hint: `…${license.key.slice(-4)}`,
      product: product.code,
      policy: policy.code,
      fingerprint: 'machine-1',
      entitlements: [
        { code: 'export', type: 'boolean', ...unlimited },
        { code: 'seats', type: 'value', ...unlimited, value: 7 },
        { code: 'calls', type: 'metered', ...unlimited, limit: 0 },
        { code: 'beta', type: 'boolean', ...unlimited, expires_at: overrides[0]?.expires_at?.replace('Z', '000Z') },
      ],
    });
    const keySet = await keySetOf(tenant);
    expect(verifiesByHand(certificate, keySet)).toBe(true);
    const { kid } = keySet.keys[0] ?? {};
    expect(decodeProtectedHeader(certificate)).toEqual({ alg: 'EdDSA', typ: 'license+jwt', kid });
  });

  test('needs no body, and is another one each time', async () => {
    const { key } = await newLicense(tenant, { offline_ttl_seconds_max: 7200 });
    const [one, two] = [await certify(key), await certify(key)];
    const [first, second] = [await payloadOf(one.body.data.certificate), await payloadOf(two.body.data.certificate)];
    expect(first).toMatchObject({ exp: seconds() + 7200, fingerprint: null, entitlements: [] });
    expect(first.jti).not.toBe(second.jti);
  });

  test('that was altered in any part is refused', async () => {
    const { key } = await newLicense(tenant);
    const { certificate } = (await certify(key)).body.data;
    const keySet = await keySetOf(tenant);
    const [header = '', payload = '', signature = ''] = certificate.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forge = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    const { kid } = decodeProtectedHeader(certificate);
    const forgeries = [
      [header, forge({ ...claims, exp: claims.exp + 1 }), signature],
      [header, payload, flipped],
      [header, payload, ''],
      [forge({ alg: 'none', typ: 'license+jwt', kid }), payload, ''],
      [forge({ alg: 'EdDSA', typ: 'JWT', kid }), payload, signature],
    ].map((parts) => parts.join('.'));
    for (const forgery of forgeries) {
      await expect(payloadOf(forgery), forgery).rejects.toThrow();
      expect(verifiesByHand(forgery, keySet), forgery).toBe(false);
    }
  });

  test("does not verify with another tenant's keys, and both tenants have their own", async () => {
    const { key } = await newLicense(tenant);
    const { certificate } = (await certify(key)).body.data;
    const foreign = await keySetOf(stranger);
    await expect(jwtVerify(certificate, createLocalJWKSet(foreign))).rejects.toThrow();
    expect(verifiesByHand(certificate, foreign)).toBe(false);
    expect(foreign.keys[0]?.x).not.toBe((await keySetOf(tenant)).keys[0]?.x);
  });

  test('counts as a validation: it begins the term of a license that waits for the first', async () => {
    const license = await newLicense(tenant, { expiry_basis: 'first_validation', duration_days: 1 });
    const payload = await payloadOf((await certify(license.key)).body.data.certificate);
    expect(payload.exp).toBe(seconds() + 86_400);
    const after = await tenant.asOwner('GET', `/licenses/${license.id}`);
    expect(after.body.data.expires_at).toMatch(new RegExp(`^${inDays(1).slice(0, 19)}`));
    expect(after.body.data.last_validated_at).toEqual(expect.any(String));
  });
});

describe('a certificate ends', () => {
  const cases = [
    { when: "after the policy's most", ttl: 86_400_000, policy: { offline_ttl_seconds_max: 3600 }, end: 3600 },
    { when: 'after less when less is asked for', ttl: 5, policy: { offline_ttl_seconds_max: 3600 }, end: 5 },
    { when: 'with the license', ttl: undefined, license: () => ({ expires_at: inDays(1) }), end: 86_400 },
    {
      when: 'with the grace of the license',
      ttl: undefined,
      policy: { grace_days: 2 },
      license: () => ({ starts_at: inDays(-9), expires_at: inDays(-1) }),
      end: 86_400,
    },
    {
      when: 'not with a license that may run on',
      ttl: 60,
      policy: { expiry_strategy: 'allow' },
      license: () => ({ starts_at: inDays(-9), expires_at: inDays(-1) }),
      end: 60,
    },
  ];

  test.each(cases)('$when', async ({ ttl, policy, license, end }) => {
    const { key } = await newLicense(tenant, policy, license?.());
    const { body } = await certify(key, ttl === undefined ? {} : { ttl_seconds: ttl });
    expect((await payloadOf(body.data.certificate)).exp).toBe(seconds() + end);
  });

  test('with the lease of a required activation', async () => {
    const { key } = await newLicense(tenant, { require_activation: true, lease_seconds: 90 });
    created(await activate(key, 'a'));
    const { body } = await certify(key, { fingerprint: 'a' });
    const { exp = 0 } = await payloadOf(body.data.certificate);
    expect(exp - seconds()).toBe(90);
  });
});

interface DenialCase {
  readonly code: string;
  readonly policy?: object;
  readonly license?: () => object;
  readonly prepare?: (license: { readonly id: string; readonly key: string }) => Promise<unknown>;
  readonly body?: object;
}

const act = (action: string) => (license: { readonly id: string }) =>
  tenant.asOwner('POST', `/licenses/${license.id}/${action}`);

const denials: readonly DenialCase[] = [
  { code: 'LICENSE.REVOKED', prepare: act('revoke') },
  { code: 'LICENSE.SUSPENDED', prepare: act('suspend') },
  { code: 'LICENSE.NOT_STARTED', license: () => ({ starts_at: inDays(1) }) },
  { code: 'LICENSE.EXPIRED', license: () => ({ starts_at: inDays(-9), expires_at: inDays(-1) }) },
  { code: 'ACTIVATION.FINGERPRINT_REQUIRED', policy: { require_activation: true } },
  { code: 'ACTIVATION.NOT_FOUND', policy: { require_activation: true }, body: { fingerprint: 'a' } },
  {
    code: 'ACTIVATION.LEASE_EXPIRED',
    policy: { require_activation: true, lease_seconds: 5 },
    prepare: async ({ key }) => {
      await activate(key, 'a');
      clock.advance(5001);
    },
    body: { fingerprint: 'a' },
  },
  {
    code: 'ACTIVATION.LIMIT_EXCEEDED',
    policy: { require_activation: true, max_activations: 2 },
    prepare: async ({ id, key }) => {
      for (const fingerprint of ['a', 'b']) await activate(key, fingerprint);
      await tenant.asOwner('PUT', `/licenses/${id}`, { max_activations: 1 });
    },
    body: { fingerprint: 'a' },
  },
];

describe('there is no certificate', () => {
  test.each(denials)('where the verdict is $code: 422', async ({ code, policy, license, prepare, body }) => {
    const issued = await newLicense(tenant, policy, license?.());
    await prepare?.(issued);
    const verdict = await tenant.asApplication(`/licenses/${issued.key}/validate`, body);
    const answer = await certify(issued.key, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, code]);
    expect(verdict.body.data).toMatchObject({ valid: false, code, detail: answer.body.error.message });
  });

  test.each(['unknown', 'with%20space', '%F0%9F%94%91'])('for the key %s, which no license has: 404', async (key) => {
    const answer = await certify(key);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
  });

  test("for another tenant's license, nor for a deleted one: 404", async () => {
    const foreign = await newLicense(stranger);
    const deleted = await newLicense(tenant);
    await tenant.asOwner('DELETE', `/licenses/${deleted.id}`);
    for (const { key } of [foreign, deleted]) expect((await certify(key)).status).toBe(404);
  });

  test.each([
    [{ ttl_seconds: 0 }, ['ttl_seconds']],
    [{ ttl_seconds: -1, fingerprint: '' }, ['fingerprint', 'ttl_seconds']],
    [{ ttl_seconds: 1.5 }, ['ttl_seconds']],
    [{ ttl_seconds: '60' }, ['ttl_seconds']],
    [{ fingerprint: 'x'.repeat(256) }, ['fingerprint']],
    [{ exp: 1 }, ['exp']],
  ])('for %j: 422 that names every bad field', async (body, fields) => {
    const { key } = await newLicense(tenant);
    const answer = await certify(key, body);
    expect([answer.status, badFields(answer)]).toEqual([422, fields]);
  });

  test('for a key without the scope: 403', async () => {
    const { key } = await newLicense(tenant);
    const narrow = created(await tenant.asOwner('POST', '/api-keys', { name: 'Narrow', scopes: ['usage:write'] }));
    const answer = await suite.app.request({
      method: 'POST',
      url: `/api/v1/integration/licenses/${key}/certificate`,
      headers: { 'x-api-key': narrow.key },
    });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
  });
});

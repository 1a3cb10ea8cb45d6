import { createPublicKey, verify } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant({ PUBLIC_URL: 'https://licensing.example.com' });
let stranger: TestTenant;

beforeAll(async () => {
  stranger = await createTenant(suite.app, suite.admin, 'Other');
});

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const seconds = () => Math.floor(Date.now() / 1000);
const certify = (key: string, body?: object) => suite.tenant.asApplication(`/licenses/${key}/certificate`, body);
const activate = (key: string, fingerprint: string) =>
  suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint });

async function keySetOf({ id }: { readonly id: string }): Promise<JSONWebKeySet> {
  const answer = await suite.app.request({ method: 'GET', url: `/api/v1/tenants/${id}/jwks.json` });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function payloadOf(certificate: string) {
  const { payload } = await jwtVerify(certificate, createLocalJWKSet(await keySetOf(suite.tenant)), {
    typ: 'license+jwt',
    issuer: 'https://licensing.example.com',
    audience: suite.tenant.id,
    algorithms: ['EdDSA'],
  });
  return payload;
}

/** Verifies a JWS (RFC 7515) without a library, with the Ed25519 of the runtime. */
function verifiesWithoutLibrary(certificate: string, { keys }: JSONWebKeySet): boolean {
  const [header = '', payload = '', signature = ''] = certificate.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const jwk = keys.find((key) => key.kid === kid);
  if (jwk === undefined) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: String(jwk.x) }, format: 'jwk' });
  return verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
}

describe('certificates', () => {
  test('a certificate contains the grants of the license, and two independent implementations verify it', async () => {
    const types = { export: 'boolean', seats: 'value', withheld: 'boolean', beta: 'boolean', calls: 'metered' };
    await defineEntitlements(suite.tenant, types);
    const atLimit = { code: 'calls', limit: 0, reset: 'day' };
    const entitlements = [{ code: 'export' }, { code: 'seats', value: 7 }, atLimit, { code: 'withheld' }];
    const overrides = [
      { code: 'beta', expires_at: inDays(1) },
      { code: 'withheld', value: false },
    ];
    const license = await newLicense(suite.tenant, { entitlements }, { entitlements: overrides });
    const policy = (await suite.tenant.asOwner('GET', `/policies/${license.policy_id}`)).body.data;
    const product = (await suite.tenant.asOwner('GET', `/products/${license.product_id}`)).body.data;
    const answer = await certify(license.key, { fingerprint: 'machine-1', ttl_seconds: 600 });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { certificate, expires_at } = answer.body.data;
    expect(expires_at).toBe(new Date((seconds() + 600) * 1000).toISOString().replace('Z', '000Z'));
    const unlimited = { value: null, limit: null, expires_at: null };
    expect(await payloadOf(certificate)).toEqual({
      iss: 'https://licensing.example.com',
      aud: suite.tenant.id,
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
      license_expires_at: null,
      maintenance_expires_at: null,
      holder_name: null,
      seats: null,
    });
    const keySet = await keySetOf(suite.tenant);
    expect(verifiesWithoutLibrary(certificate, keySet)).toBe(true);
    const { kid } = keySet.keys[0] ?? {};
    expect(decodeProtectedHeader(certificate)).toEqual({ alg: 'EdDSA', typ: 'license+jwt', kid });
  });

  test('a certificate names the end of the license and of its maintenance, its holder and its seats', async () => {
    const [expires_at, maintenance_expires_at] = [inDays(30), inDays(10)];
    const holder = { name: 'Ada Lovelace', email: 'ada@example.com', reference: 'order-1' };
    const terms = { expires_at, maintenance_expires_at, holder };
    const { key, id } = await newLicense(suite.tenant, { max_activations: 3 }, terms);
    const certificate = async () => payloadOf((await certify(key)).body.data.certificate);
    const stored = (time: string) => time.replace('Z', '000Z');
    const said = { license_expires_at: stored(expires_at), maintenance_expires_at: stored(maintenance_expires_at) };
    const first = await certificate();
    expect(first).toMatchObject({ ...said, holder_name: 'Ada Lovelace', seats: 3 });
    expect(JSON.stringify(first)).not.toMatch(/ada@example|order-1/);
    await suite.tenant.asOwner('PUT', `/licenses/${id}`, { max_activations: 5, holder: { name: null } });
    expect(await certificate()).toMatchObject({ ...said, holder_name: null, seats: 5 });
  });

  test('a certificate names the end that its own issue has started, and not the end of the grace period', async () => {
    const terms = { expiry_basis: 'first_validation', duration_days: 1, grace_days: 7 };
    const { key } = await newLicense(suite.tenant, terms);
    const { license_expires_at } = await payloadOf((await certify(key)).body.data.certificate);
    expect(String(license_expires_at)).toMatch(new RegExp(`^${inDays(1).slice(0, 19)}`));
  });

  test('a certificate can be requested without a body and has a different id each time', async () => {
    const { key } = await newLicense(suite.tenant, { offline_ttl_seconds_max: 7200 });
    const [one, two] = [await certify(key), await certify(key)];
    const [first, second] = [await payloadOf(one.body.data.certificate), await payloadOf(two.body.data.certificate)];
    expect(first).toMatchObject({ exp: seconds() + 7200, fingerprint: null, entitlements: [] });
    expect(first.jti).not.toBe(second.jti);
  });

  test('a certificate that was altered in any part does not verify', async () => {
    const { key } = await newLicense(suite.tenant);
    const { certificate } = (await certify(key)).body.data;
    const keySet = await keySetOf(suite.tenant);
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
      expect(verifiesWithoutLibrary(forgery, keySet), forgery).toBe(false);
    }
  });

  test('a certificate does not verify with the keys of another tenant', async () => {
    const { key } = await newLicense(suite.tenant);
    const { certificate } = (await certify(key)).body.data;
    const foreign = await keySetOf(stranger);
    await expect(jwtVerify(certificate, createLocalJWKSet(foreign))).rejects.toThrow();
    expect(verifiesWithoutLibrary(certificate, foreign)).toBe(false);
    expect(foreign.keys[0]?.x).not.toBe((await keySetOf(suite.tenant)).keys[0]?.x);
  });

  test('issuing a certificate is not a validation, but starts a term that begins with the first one', async () => {
    const license = await newLicense(suite.tenant, { expiry_basis: 'first_validation', duration_days: 1 });
    const payload = await payloadOf((await certify(license.key)).body.data.certificate);
    expect(payload.exp).toBe(seconds() + 86_400);
    const after = await suite.tenant.asOwner('GET', `/licenses/${license.id}`);
    expect(after.body.data.expires_at).toMatch(new RegExp(`^${inDays(1).slice(0, 19)}`));
    const { id, key } = await newLicense(suite.tenant);
    await certify(key);
    await suite.app.services.validationTimes.flush();
    expect((await suite.tenant.asOwner('GET', `/licenses/${id}`)).body.data.last_validated_at).toBeNull();
  });
});

describe('end of certificates', () => {
  const cases = [
    {
      when: "after the policy's maximum when more is requested",
      ttl: 86_400_000,
      policy: { offline_ttl_seconds_max: 3600 },
      end: 3600,
    },
    { when: 'after the requested seconds', ttl: 5, policy: { offline_ttl_seconds_max: 3600 }, end: 5 },
    { when: 'with the license', ttl: undefined, license: () => ({ expires_at: inDays(1) }), end: 86_400 },
    {
      when: 'with the grace period of the license',
      ttl: undefined,
      policy: { grace_days: 2 },
      license: () => ({ starts_at: inDays(-9), expires_at: inDays(-1) }),
      end: 86_400,
    },
    {
      when: 'independently of the license when the policy allows expired licenses',
      ttl: 60,
      policy: { expiry_strategy: 'allow' },
      license: () => ({ starts_at: inDays(-9), expires_at: inDays(-1) }),
      end: 60,
    },
  ];

  test.each(cases.map((one) => [one.when, one] as const))('a certificate ends %s', async (_when, one) => {
    const { ttl, policy, license, end } = one;
    const { key } = await newLicense(suite.tenant, policy, license?.());
    const { body } = await certify(key, ttl === undefined ? {} : { ttl_seconds: ttl });
    expect((await payloadOf(body.data.certificate)).exp).toBe(seconds() + end);
  });

  test('a certificate ends with the lease of a required activation', async () => {
    const { key } = await newLicense(suite.tenant, { require_activation: true, lease_seconds: 90 });
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
  suite.tenant.asOwner('POST', `/licenses/${license.id}/${action}`);

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
      await suite.tenant.asOwner('PUT', `/licenses/${id}`, { max_activations: 1 });
    },
    body: { fingerprint: 'a' },
  },
];

describe('refused certificates', () => {
  test.each(denials)(
    'a certificate is refused with 422 $code when that is the verdict',
    async ({ code, policy, license, prepare, body }) => {
      const issued = await newLicense(suite.tenant, policy, license?.());
      await prepare?.(issued);
      const verdict = await suite.tenant.asApplication(`/licenses/${issued.key}/validate`, body);
      const answer = await certify(issued.key, body);
      expect([answer.status, answer.body.error.code]).toEqual([422, code]);
      expect(verdict.body.data).toMatchObject({ valid: false, code, detail: answer.body.error.message });
    },
  );

  test.each(['unknown', 'with%20space', '%F0%9F%94%91'])(
    'a certificate for the unknown key %s is a 404',
    async (key) => {
      const answer = await certify(key);
      expect([answer.status, answer.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
    },
  );

  test('a certificate for a license of another tenant, or for a deleted license, is a 404', async () => {
    const foreign = await newLicense(stranger);
    const deleted = await newLicense(suite.tenant);
    await suite.tenant.asOwner('DELETE', `/licenses/${deleted.id}`);
    for (const { key } of [foreign, deleted]) expect((await certify(key)).status).toBe(404);
  });

  test('a certificate request with an API key without the scope is a 403', async () => {
    const { key } = await newLicense(suite.tenant);
    const narrow = created(
      await suite.tenant.asOwner('POST', '/api-keys', { name: 'Narrow', scopes: ['usage:write'] }),
    );
    const answer = await suite.app.request({
      method: 'POST',
      url: `/api/v1/integration/licenses/${key}/certificate`,
      headers: { 'x-api-key': narrow.key },
    });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { rotateSigningKey } from '../../src/features/licensing/signing-keys/service.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields, created, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const issuer = 'https://licensing.example.com';
const suite = useTenant({ PUBLIC_URL: issuer });
let stranger: TestTenant;

beforeAll(async () => {
  stranger = await createTenant(suite.app, suite.admin, 'Other');
});

const nonce = 'a-nonce-of-the-client-1';
const seconds = () => Math.floor(Date.now() / 1000);

async function keySetOf({ id }: { readonly id: string }): Promise<JSONWebKeySet> {
  return (await suite.app.request({ method: 'GET', url: `/api/v1/tenants/${id}/jwks.json` })).body;
}

/** Asks for a signed verdict and returns the data of the response. */
async function ask(key: string, question: object = {}, tenant = suite.tenant) {
  const answer = await tenant.asApplication(`/licenses/${key}/validate`, { nonce, ...question, proof: true });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

/** Verifies a proof as a client does that has the key set of its vendor. */
async function verified(proof: string, keySet?: JSONWebKeySet): Promise<JWTPayload> {
  const keys = createLocalJWKSet(keySet ?? (await keySetOf(suite.tenant)));
  const options = { typ: 'verdict+jwt', issuer, audience: suite.tenant.id, algorithms: ['EdDSA'] };
  return (await jwtVerify(proof, keys, { ...options, currentDate: new Date() })).payload;
}

interface Question {
  readonly nonce: string;
  readonly key: string;
  readonly product: string;
  readonly fingerprint: string;
  readonly entitlements: readonly string[];
  readonly version_released_at: string;
}

/** The comparison of a question with its proof that docs/reference/signed-verdicts.md describes. */
function answers(claims: JWTPayload, question: Question): boolean {
  const equal = (claim: string, value: unknown) => JSON.stringify(claims[claim]) === JSON.stringify(value);
  return (
    equal('nonce', question.nonce) &&
    equal('key_hint', `…${question.key.slice(-4)}`) &&
    equal('product', question.product) &&
    equal('fingerprint', question.fingerprint) &&
    equal('entitlements', question.entitlements) &&
    equal('version_released_at', question.version_released_at)
  );
}

async function productCodeOf({ product_id }: { readonly product_id: string }): Promise<string> {
  return (await suite.tenant.asOwner('GET', `/products/${product_id}`)).body.data.code;
}

describe('signed verdicts', () => {
  test('the proof of a valid verdict has the claims of its question and answer, and ends after five minutes', async () => {
    const license = await newLicense(suite.tenant);
    created(await suite.tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'device' }));
    const { proof, ...verdict } = await ask(license.key, { fingerprint: 'device' });
    expect(verdict).toMatchObject({ valid: true, code: 'LICENSE.VALID', nonce });
    expect(await verified(proof)).toEqual({
      iss: issuer,
      aud: suite.tenant.id,
      sub: license.id,
      iat: seconds(),
      exp: seconds() + 300,
      nonce,
      valid: true,
      code: 'LICENSE.VALID',
      key_hint: `…${license.key.slice(-4)}`,
      product: await productCodeOf(license),
      fingerprint: 'device',
    });
    const { kid } = (await keySetOf(suite.tenant)).keys[0] ?? {};
    expect(decodeProtectedHeader(proof)).toEqual({ alg: 'EdDSA', typ: 'verdict+jwt', kid });
  });

  test('the proof repeats the entitlements and the version of the question', async () => {
    await defineEntitlements(suite.tenant, { export: 'boolean' });
    const { key } = await newLicense(suite.tenant, { entitlements: [{ code: 'export' }] });
    const conditions = { entitlements: ['export'], version_released_at: '2026-01-01T02:00:00+02:00' };
    expect(await verified((await ask(key, conditions)).proof)).toMatchObject({ valid: true, ...conditions });
    const refused = await verified((await ask(key, { entitlements: ['export', 'print'] })).proof);
    expect(refused).toMatchObject({ valid: false, code: 'ENTITLEMENT.NOT_GRANTED', entitlements: ['export', 'print'] });
  });

  test.each([
    { code: 'LICENSE.SUSPENDED', action: 'suspend', question: {} },
    { code: 'LICENSE.REVOKED', action: 'revoke', question: {} },
    { code: 'LICENSE.PRODUCT_MISMATCH', action: undefined, question: { product: 'another' } },
  ])('the negative verdict $code is signed', async ({ code, action, question }) => {
    const license = await newLicense(suite.tenant);
    if (action !== undefined) await suite.tenant.asOwner('POST', `/licenses/${license.id}/${action}`);
    const verdict = await ask(license.key, question);
    expect([verdict.valid, verdict.code]).toEqual([false, code]);
    const product = await productCodeOf(license);
    expect(await verified(verdict.proof)).toMatchObject({ sub: license.id, valid: false, code, product });
  });

  test.each([
    { key: 'NO-SUCH-LICENSE-1', hint: '…SE-1' },
    { key: 'ABCDEFGH', hint: '…GH' },
    { key: 'abc', hint: '…' },
    { key: '%F0%9F%94%91', hint: '…' },
  ])('the verdict on the unknown key $key is signed, without a subject, and shows $hint of the key', async (asked) => {
    const { proof, ...verdict } = await ask(asked.key);
    expect(verdict).toMatchObject({ code: 'LICENSE.NOT_FOUND', license: null });
    expect(await verified(proof)).toMatchObject({
      sub: null,
      valid: false,
      code: 'LICENSE.NOT_FOUND',
      key_hint: asked.hint,
      product: null,
      fingerprint: null,
    });
  });

  test('the proof of a license of another tenant says only that the key is unknown', async () => {
    const foreign = await newLicense(stranger);
    const claims = await verified((await ask(foreign.key)).proof);
    expect(claims).toMatchObject({ sub: null, code: 'LICENSE.NOT_FOUND', product: null });
  });

  test('the first validation of a license starts its term and is signed', async () => {
    const terms = { expiry_basis: 'first_validation', duration_days: 30 };
    const { id, key } = await newLicense(suite.tenant, terms);
    const verdict = await ask(key);
    expect(verdict.license.expires_at).toEqual(expect.any(String));
    expect(await verified(verdict.proof)).toMatchObject({ sub: id, valid: true });
  });
});

describe('the nonce of a signed verdict', () => {
  test.each([
    ['no nonce', undefined],
    ['15 characters', 'x'.repeat(15)],
    ['129 characters', 'x'.repeat(129)],
    ['15 characters of two code units each', '🔑'.repeat(15)],
  ])('a signed verdict with %s is refused with an error for the nonce', async (_what, bad) => {
    const body = { proof: true, ...(bad !== undefined && { nonce: bad }) };
    const refused = await suite.tenant.asApplication('/licenses/UNKNOWN/validate', body);
    expect([refused.status, refused.body.error.code, badFields(refused)]).toEqual([
      422,
      'VALIDATION.FAILED',
      ['nonce'],
    ]);
  });

  test.each([16, 128])('a nonce of %i characters is signed as it is', async (length) => {
    const own = 'é'.repeat(length);
    expect(await verified((await ask('UNKNOWN', { nonce: own })).proof)).toMatchObject({ nonce: own });
  });

  test('a verdict without a proof needs no nonce and accepts a short one', async () => {
    for (const body of [{}, { nonce: 'n' }, { nonce: 'n', proof: false }]) {
      const { status, body: answer } = await suite.tenant.asApplication('/licenses/UNKNOWN/validate', body);
      expect([status, Object.hasOwn(answer.data, 'proof')]).toEqual([200, false]);
    }
  });
});

describe('verdicts that the service did not make', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('a proof that was altered or signed with a key of the forger does not verify', async () => {
    const license = await newLicense(suite.tenant);
    await suite.tenant.asOwner('POST', `/licenses/${license.id}/revoke`);
    const { proof } = await ask(license.key);
    const claims = { ...(await verified(proof)), valid: true, code: 'LICENSE.VALID' };
    const [header = '', payload = '', signature = ''] = proof.split('.');
    const { kid = '', ...rest } = decodeProtectedHeader(proof);
    const { privateKey } = generateKeyPairSync('ed25519');
    const selfSigned = new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'EdDSA', typ: 'verdict+jwt', kid });
    const publicKey = Buffer.from(JSON.stringify((await keySetOf(suite.tenant)).keys[0]));
    const withPublicKey = new SignJWT(claims as JWTPayload).setProtectedHeader({
      alg: 'HS256',
      typ: 'verdict+jwt',
      kid,
    });
    const forgeries = [
      [header, encode(claims), signature].join('.'),
      [header, payload, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.'),
      [header, payload, ''].join('.'),
      [encode({ ...rest, kid, alg: 'none' }), encode(claims), ''].join('.'),
      await selfSigned.sign(privateKey),
      await withPublicKey.sign(publicKey),
    ];
    for (const forgery of forgeries) await expect(verified(forgery), forgery).rejects.toThrow();
  });

  test('a proof of another tenant does not verify, even for a license with the same key', async () => {
    const key = 'SHARED-KEY-1';
    await newLicense(suite.tenant, {}, { key });
    await newLicense(stranger, {}, { key });
    const { proof } = await ask(key, {}, stranger);
    expect((await verified((await ask(key)).proof))['valid']).toBe(true);
    await expect(verified(proof)).rejects.toThrow('no applicable key');
    await expect(verified(proof, await keySetOf(stranger))).rejects.toThrow('"aud"');
  });

  test('a certificate is not accepted as a proof, nor a proof as a certificate', async () => {
    const { key } = await newLicense(suite.tenant);
    const { certificate } = (await suite.tenant.asApplication(`/licenses/${key}/certificate`)).body.data;
    await expect(verified(certificate)).rejects.toThrow('"typ"');
    const keys = createLocalJWKSet(await keySetOf(suite.tenant));
    await expect(jwtVerify((await ask(key)).proof, keys, { typ: 'license+jwt' })).rejects.toThrow('"typ"');
  });

  test('a proof is refused five minutes after it was made', async () => {
    const { proof } = await ask('UNKNOWN');
    clock.advance(299_000);
    await verified(proof);
    clock.advance(1_000);
    await expect(verified(proof)).rejects.toThrow('"exp"');
  });

  test('the proof of an earlier verdict does not have the nonce of the next question', async () => {
    const license = await newLicense(suite.tenant);
    const earlier = await verified((await ask(license.key)).proof);
    await suite.tenant.asOwner('POST', `/licenses/${license.id}/revoke`);
    const next = `${nonce}-next`;
    const current = await verified((await ask(license.key, { nonce: next })).proof);
    expect([earlier['nonce'] === next, current['nonce'] === next, current['valid']]).toEqual([false, true, false]);
  });

  test('a proof of a question from which a proxy removed or changed a condition is recognised by its claims', async () => {
    const license = await newLicense(suite.tenant);
    const other = await newLicense(suite.tenant);
    const product = await productCodeOf(license);
    const question = {
      nonce,
      product,
      fingerprint: 'device',
      entitlements: ['pro'],
      version_released_at: '2026-01-01T00:00:00Z',
    };
    const asked = { ...question, key: license.key };
    const proofOf = async (key: string, sent: object) => await verified((await ask(key, sent)).proof);
    expect(answers(await proofOf(license.key, question), asked)).toBe(true);
    for (const condition of ['fingerprint', 'entitlements', 'version_released_at'] as const) {
      const { [condition]: removed, ...sent } = question;
      expect(removed).toBeDefined();
      expect(answers(await proofOf(license.key, sent), asked), condition).toBe(false);
    }
    const { product: _product, ...sent } = question;
    expect(answers(await proofOf(other.key, sent), asked), 'another product').toBe(false);
    expect(answers(await proofOf('NO-SUCH-LICENSE', question), asked), 'another key').toBe(false);
    expect(answers(await proofOf(license.key, { ...question, fingerprint: 'x' }), asked), 'another device').toBe(false);
  });
});

describe('the key that signs verdicts', () => {
  test('after a rotation the new key signs at once, and a proof of the former key verifies until it ends', async () => {
    const before = (await ask('UNKNOWN')).proof;
    const kid = await rotateSigningKey(suite.app.services, systemActor, suite.tenant.id);
    const after = (await ask('UNKNOWN')).proof;
    expect(decodeProtectedHeader(after).kid).toBe(kid);
    expect(decodeProtectedHeader(before).kid).not.toBe(kid);
    clock.advance(299_000);
    await verified(before);
    await verified(after);
  });

  test('concurrent rotations and signed verdicts leave no proof that does not verify', async () => {
    const rotate = () => rotateSigningKey(suite.app.services, systemActor, suite.tenant.id);
    const [verdicts] = await Promise.all([
      Promise.all(Array.from({ length: 12 }, () => ask('UNKNOWN'))),
      Promise.all([rotate(), rotate()]),
    ]);
    for (const { proof } of verdicts) await verified(proof);
  });

  test('a validation without a proof neither needs nor creates a signing key', async () => {
    const tenant = await createTenant(suite.app, suite.admin, 'Keyless');
    const keyRows = (change: 'delete' | 'read') =>
      suite.app.services.tenants.withTenantDb(tenant.id, async ({ query }) => {
        if (change === 'delete') await query.deleteFrom('signing_keys').execute();
        return await query.selectFrom('signing_keys').select('kid').execute();
      });
    await keyRows('delete');
    expect((await tenant.asApplication('/licenses/UNKNOWN/validate', { nonce })).status).toBe(200);
    expect(await keyRows('read')).toEqual([]);
  });
});

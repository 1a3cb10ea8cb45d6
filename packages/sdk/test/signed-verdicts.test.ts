import { beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from '../src/api-types.ts';
import { type Jwks, type VerifyVerdictOptions, verifyVerdict } from '../src/index.ts';
import { issuer, useLiveService } from './support/live-service.ts';
import { newSigningKey, signedToken } from './support/signing.ts';

const service = useLiveService();
const nonce = 'a-nonce-of-the-client-1';
let jwks: Jwks;
let license: Awaited<ReturnType<typeof service.license>>;

beforeAll(async () => {
  jwks = await service.client().jwks(service.tenant.id);
  license = await service.license();
});

const optionsOf = (more: Partial<VerifyVerdictOptions> = {}): VerifyVerdictOptions => ({
  jwks,
  issuer,
  audience: service.tenant.id,
  nonce,
  ...more,
});
const codeOf = async (verdict: Verdict, more?: Partial<VerifyVerdictOptions>) =>
  (await verifyVerdict(verdict, optionsOf(more))).code;

describe('a signed verdict of the service', () => {
  test('is accepted with every condition of its question', async () => {
    const versionReleasedAt = new Date('2026-01-01T00:00:00Z');
    const question = { product: license.product, fingerprint: 'device', entitlements: ['export'], versionReleasedAt };
    const verdict = await service.client().validate(license.key, { ...question, nonce, proof: true });
    const verified = await verifyVerdict(
      verdict,
      optionsOf({ ...question, licenseKey: license.key, licenseId: license.id }),
    );
    expect(verified).toMatchObject({ valid: true, code: 'LICENSE.VALID', license: { id: license.id } });
    expect(verified.claims).toMatchObject({ keyHint: `…${license.key.slice(-4)}`, fingerprint: 'device' });
  });

  test('is accepted when it is negative', async () => {
    const unknown = await service.client().validate('unknown', { nonce, proof: true });
    expect(await codeOf(unknown, { product: license.product })).toBe('LICENSE.NOT_FOUND');
    const other = await service.client().validate(license.key, { product: 'other', nonce, proof: true });
    expect(await codeOf(other, { product: 'other' })).toBe('LICENSE.PRODUCT_MISMATCH');
  });

  test('has a nonce of the client by default', async () => {
    const verdict = await service.client().validate(license.key, { proof: true });
    expect(await codeOf(verdict, { nonce: verdict.nonce ?? '' })).toBe('LICENSE.VALID');
    const again = await service.client().validate(license.key, { proof: true });
    expect(again.nonce).not.toBe(verdict.nonce);
  });

  test.each<[string, Partial<VerifyVerdictOptions>]>([
    ['NONCE_MISMATCH', { nonce: 'a-nonce-of-the-client-2' }],
    ['PRODUCT_MISMATCH', { product: 'other' }],
    ['FINGERPRINT_MISMATCH', { fingerprint: 'device' }],
    ['QUESTION_MISMATCH', { licenseKey: 'ANOTHER-LICENSE-KEY1' }],
    ['QUESTION_MISMATCH', { licenseId: 'another' }],
    ['QUESTION_MISMATCH', { entitlements: ['export'] }],
    ['QUESTION_MISMATCH', { versionReleasedAt: '2026-01-01T00:00:00Z' }],
    ['ISSUER_MISMATCH', { issuer: 'https://evil.example.com' }],
    ['AUDIENCE_MISMATCH', { audience: 'another-tenant' }],
    ['EXPIRED', { now: new Date(Date.now() + 3_600_000) }],
    ['NOT_YET_VALID', { now: new Date(Date.now() - 3_600_000) }],
  ])('is refused as PROOF.%s with %j', async (reason, more) => {
    const verdict = await service.client().validate(license.key, { nonce, proof: true });
    const refused = await verifyVerdict(verdict, optionsOf(more));
    expect(refused).toMatchObject({ valid: false, code: `PROOF.${reason}`, license: null, claims: null });
  });
});

describe('a forged verdict', () => {
  test.each<[string, (verdict: Verdict) => Verdict]>([
    ['valid', (verdict) => ({ ...verdict, valid: true })],
    ['the code', (verdict) => ({ ...verdict, code: 'LICENSE.VALID' })],
    ['the license', (verdict) => ({ ...verdict, license: null })],
    ['the nonce', (verdict) => ({ ...verdict, nonce: null })],
  ])('is refused when a proxy changed %s', async (_what, change) => {
    const revoked = await service.license();
    await service.management().licenses.revoke(revoked.id);
    const verdict = await service.client().validate(revoked.key, { nonce, proof: true });
    expect(await codeOf(verdict)).toBe('LICENSE.REVOKED');
    expect(await codeOf(change(verdict))).toBe('PROOF.VERDICT_MISMATCH');
  });

  test('is refused without a proof, with the proof of a stranger, and with a certificate as its proof', async () => {
    const { proof: _proof, ...verdict } = await service.client().validate(license.key, { nonce, proof: true });
    expect(await codeOf(verdict)).toBe('PROOF.MISSING');
    expect(await codeOf(null as unknown as Verdict)).toBe('PROOF.MISSING');
    const stranger = newSigningKey(jwks.keys[0]?.kid ?? '');
    const header = { alg: 'EdDSA', typ: 'verdict+jwt', kid: stranger.jwk.kid };
    expect(await codeOf({ ...verdict, proof: signedToken(stranger, header, { nonce }) })).toBe(
      'PROOF.SIGNATURE_INVALID',
    );
    const { certificate } = await service.client().issueCertificate(license.key);
    expect(await codeOf({ ...verdict, proof: certificate })).toBe('PROOF.TYPE_REFUSED');
  });
});

test('an empty nonce is refused, because it would prove nothing', async () => {
  const verdict = await service.client().validate(license.key, { nonce, proof: true });
  await expect(verifyVerdict(verdict, optionsOf({ nonce: '' }))).rejects.toMatchObject({
    code: 'CONFIGURATION.INVALID',
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from '../src/api-types.ts';
import { type Jwks, type VerifyVerdictOptions, verifyVerdict } from '../src/index.ts';
import { issuer, useLiveService } from './support/live-service.ts';

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
});

test.each<[string, number]>([
  ['EXPIRED', 3_600_000],
  ['NOT_YET_VALID', -3_600_000],
])('a proof is refused as PROOF.%s an hour from its time', async (reason, ms) => {
  const verdict = await service.client().validate(license.key, { nonce, proof: true });
  expect(await codeOf(verdict, { now: new Date(Date.now() + ms) })).toBe(`PROOF.${reason}`);
});

test('null in place of a verdict is refused', async () => {
  expect(await codeOf(null as unknown as Verdict)).toBe('PROOF.MISSING');
});

test('an empty nonce is refused, because it would prove nothing', async () => {
  const verdict = await service.client().validate(license.key, { nonce, proof: true });
  await expect(verifyVerdict(verdict, optionsOf({ nonce: '' }))).rejects.toMatchObject({
    code: 'CONFIGURATION.INVALID',
  });
});

// What the conformance cases of certificates leave out: the types, the defaults, random forgeries, and values that only
// JavaScript has.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type VerifyCertificateOptions, verifyCertificate } from '../src/index.ts';
import { encode, macToken, newSigningKey, signedToken } from './support/signing.ts';

const key = newSigningKey('key-1');
const otherKey = newSigningKey('key-2');
const now = new Date('2026-11-20T12:00:00Z');
const nowSeconds = now.getTime() / 1000;
const header = { alg: 'EdDSA', typ: 'license+jwt', kid: 'key-1' };
const claims = {
  iss: 'https://licensing.example.com',
  aud: 'tenant-1',
  sub: 'license-1',
  iat: nowSeconds,
  nbf: nowSeconds,
  exp: nowSeconds + 3600,
  jti: 'certificate-1',
  key_hint: '…ABCD',
  product: 'editor',
  policy: 'yearly',
  fingerprint: 'device-1',
  entitlements: [
    { code: 'export', type: 'boolean', value: true, limit: null, expires_at: null },
    { code: 'cloud', type: 'boolean', value: true, limit: null, expires_at: '2026-11-20T11:00:00.000000Z' },
  ],
  license_expires_at: '2027-01-01T00:00:00.000000Z',
  maintenance_expires_at: '2026-11-01T00:00:00.000000Z',
  holder_name: 'Ada',
  seats: 3,
};
const options: VerifyCertificateOptions = {
  jwks: { keys: [otherKey.jwk, key.jwk] },
  issuer: claims.iss,
  audience: claims.aud,
  now,
};
const certificate = signedToken(key, header, claims);
const [headerPart = '', claimsPart = '', signaturePart = ''] = certificate.split('.');
const verify = (token: string, more: Partial<VerifyCertificateOptions> = {}) =>
  verifyCertificate(token, { ...options, ...more });
const codeOf = async (token: string, more?: Partial<VerifyCertificateOptions>) => (await verify(token, more)).code;

describe('a certificate of the service', () => {
  test('is valid, and says what a verdict says', async () => {
    expect(await verify(certificate, { fingerprint: 'device-1', product: 'editor' })).toEqual({
      valid: true,
      code: 'LICENSE.VALID',
      detail: 'The certificate is valid.',
      checkedAt: '2026-11-20T12:00:00.000Z',
      nonce: null,
      license: {
        ...{ id: 'license-1', keyHint: '…ABCD', product: 'editor', policy: 'yearly' },
        ...{ expiresAt: '2027-01-01T00:00:00.000000Z', maintenanceExpiresAt: '2026-11-01T00:00:00.000000Z' },
        ...{ holder: { name: 'Ada' }, maxActivations: 3 },
      },
      activation: { fingerprint: 'device-1' },
      entitlements: [
        expect.objectContaining({ code: 'export', hasAccess: true, value: true, reason: null, usage: null }),
        expect.objectContaining({ code: 'cloud', hasAccess: false, reason: 'ENTITLEMENT.EXPIRED' }),
      ],
      claims: expect.objectContaining({ keyHint: '…ABCD', exp: nowSeconds + 3600 }),
    });
  });

  const at = (seconds: number) => new Date((nowSeconds + seconds) * 1000);
  test.each([
    ['LICENSE.VALID', { now: at(3600 + 59) }],
    ['CERTIFICATE.EXPIRED', { now: at(3600 + 60) }],
    ['LICENSE.VALID', { now: at(-60) }],
    ['CERTIFICATE.NOT_YET_VALID', { now: at(-61) }],
    ['CERTIFICATE.PRODUCT_MISMATCH', { product: 'viewer' }],
    ['CERTIFICATE.FINGERPRINT_MISMATCH', { fingerprint: '' }],
    ['LICENSE.MAINTENANCE_EXPIRED', { versionReleasedAt: '2026-11-01T00:00:00.001Z' }],
    ['LICENSE.MAINTENANCE_EXPIRED', { versionReleasedAt: new Date('2026-11-02') }],
  ])('is %s with %j', async (code, more) => {
    const verdict = await verify(certificate, more);
    expect(verdict).toMatchObject({ code, valid: code === 'LICENSE.VALID', license: { id: 'license-1' } });
    if (!verdict.valid)
      expect(verdict.entitlements).toMatchObject([{ hasAccess: false, reason: code }, { hasAccess: false }]);
  });
});

describe('a forged certificate', () => {
  test.each([
    ['is authenticated with the public key as EdDSA', 'SIGNATURE_INVALID', macToken(key, header, claims)],
    ['has the algorithm in another case', 'ALGORITHM_REFUSED', signedToken(key, { ...header, alg: 'eddsa' }, claims)],
    ['is signed by another key of the vendor', 'SIGNATURE_INVALID', signedToken(otherKey, header, claims)],
    ['has an empty critical header', 'MALFORMED', signedToken(key, { ...header, crit: [] }, claims)],
    [
      'has claims that begin with a byte order mark',
      'MALFORMED',
      signedToken(key, header, `\ufeff${JSON.stringify(claims)}`),
    ],
    [
      'has an end beyond all numbers',
      'MALFORMED',
      signedToken(key, header, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999')),
    ],
    ['is for several vendors', 'MALFORMED', signedToken(key, header, { ...claims, aud: ['tenant-1'] })],
    ['has entitlements that are not a list', 'MALFORMED', signedToken(key, header, { ...claims, entitlements: {} })],
    ['has an entitlement that is null', 'MALFORMED', signedToken(key, header, { ...claims, entitlements: [null] })],
    ['is far too long', 'MALFORMED', `${certificate}${'A'.repeat(2_000_000)}`],
  ])('is refused when it %s', async (_how, reason, token) => {
    expect(await verify(token)).toMatchObject({ valid: false, code: `CERTIFICATE.${reason}` });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', { token: certificate }],
  ])('is refused when it is %s', async (_what, token) => {
    expect(await codeOf(token as string)).toBe('CERTIFICATE.MALFORMED');
  });

  test('is refused whichever character of a valid one is replaced by whichever other', async () => {
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= '];
    const places = fc.tuple(fc.nat(certificate.length - 1), fc.constantFrom(...alphabet));
    await fc.assert(
      fc.asyncProperty(places, async ([place, character]) => {
        fc.pre(certificate[place] !== character);
        const changed = certificate.slice(0, place) + character + certificate.slice(place + 1);
        expect((await verify(changed)).valid).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });

  test('is refused whichever bit of its signature or its signed bytes is flipped', async () => {
    const parts = [headerPart, claimsPart, signaturePart];
    const flipped = parts.flatMap((part, which) => {
      const bytes = Buffer.from(part, 'base64url');
      return Array.from({ length: bytes.length * 8 }, (_bit, bit) => {
        const copy = Buffer.from(bytes);
        copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return parts.map((other, index) => (index === which ? copy.toString('base64url') : other)).join('.');
      });
    });
    const verdicts = await Promise.all(flipped.map((token) => verify(token)));
    expect(verdicts.filter(({ valid }) => valid)).toEqual([]);
  });

  test('is refused and never throws, for any text', async () => {
    const parts = fc.array(
      fc.oneof(fc.string(), fc.json().map(encode), fc.constantFrom(headerPart, claimsPart, signaturePart)),
      {
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(parts, async (texts) => {
        fc.pre(texts.join('.') !== certificate);
        expect((await verify(texts.join('.'))).valid).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test('a key set with the same key twice verifies nothing', async () => {
  expect(await codeOf(certificate, { jwks: { keys: [key.jwk, key.jwk] } })).toBe('CERTIFICATE.KEY_UNKNOWN');
});

test.each([{ jwks: undefined }, { now: new Date(Number.NaN) }, { clockToleranceSeconds: Number.NaN }])(
  'the option %j is refused, because it would not verify',
  async (wrong) => {
    const all = { ...options, ...wrong } as VerifyCertificateOptions;
    await expect(verifyCertificate(certificate, all)).rejects.toMatchObject({ code: 'CONFIGURATION.INVALID' });
  },
);

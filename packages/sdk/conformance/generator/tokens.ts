import { forgeries, unfit } from './forgeries.ts';
import { signToken, testKey } from './keys.ts';

/** One case of a function that needs no network. `result` contains the fields that must be in the result. */
export interface OfflineCase {
  readonly title: string;
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
}

/** 2026-05-28T20:26:40Z */
export const nowSeconds = 1_780_000_000;
const day = 86_400;
const trusted = testKey('trusted key');
const rotated = testKey('rotated key');
const issuer = 'https://licensing.example.com';
const audience = '01920000-0000-7000-8000-000000000001';
const fingerprint = 'device-1';
const jwks = { keys: [rotated.jwk, trusted.jwk] };
const options = { jwks, issuer, audience, now: nowSeconds, clock_tolerance_seconds: 0 };
const nonce = 'nonce-of-this-question';

const certificateClaims = {
  iss: issuer,
  aud: audience,
  sub: '01920000-0000-7000-8000-000000000002',
  iat: nowSeconds - day,
  nbf: nowSeconds - day,
  exp: nowSeconds + day,
  jti: '01920000-0000-7000-8000-000000000003',
  key_hint: '…7QX2',
  product: 'editor',
  policy: 'standard',
  fingerprint,
  entitlements: [
    { code: 'export', type: 'boolean', value: null, limit: null, expires_at: null },
    { code: 'seats', type: 'value', value: 5, limit: null, expires_at: '2027-01-01T00:00:00.000000Z' },
    { code: 'beta', type: 'boolean', value: null, limit: null, expires_at: '2026-05-01T00:00:00.000000Z' },
  ],
  license_expires_at: '2027-01-01T00:00:00.000000Z',
  maintenance_expires_at: '2026-05-15T00:00:00.000000Z',
  holder_name: 'Ada Lovelace',
  seats: 3,
};

/** What a certificate of a service before version 1.1 does not say. */
const unsaid = {
  license_expires_at: undefined,
  maintenance_expires_at: undefined,
  holder_name: undefined,
  seats: undefined,
};
const unlimited = { license_expires_at: null, maintenance_expires_at: null, holder_name: null, seats: null };
const unlimitedLicense = {
  expires_at: null,
  maintenance_expires_at: null,
  holder: { name: null },
  max_activations: null,
};

const verdictClaims = {
  iss: issuer,
  aud: audience,
  sub: certificateClaims.sub,
  iat: nowSeconds - 5,
  exp: nowSeconds + 295,
  nonce,
  valid: true,
  code: 'LICENSE.VALID',
  key_hint: '…7QX2',
  product: 'editor',
  fingerprint,
};

const verdict = {
  valid: true,
  code: 'LICENSE.VALID',
  detail: 'The license is valid.',
  checked_at: '2026-05-28T20:26:35.000000Z',
  nonce,
  license: { id: verdictClaims.sub, key: 'AAAAA-BBBBB-CCCCC-DDDDD-E7QX2', status: 'active' },
  activation: null,
  entitlements: [],
};

/** What a refused proof says about a license, and a certificate that no trusted key signed. */
const silent = { license: null, activation: null, entitlements: [], claims: null };

/** The reasons to refuse a certificate that a trusted key signed: the application can still show what it says. */
const signedReasons = /MISMATCH$|^EXPIRED$|^NOT_YET_VALID$/;

/** Returns the cases of `verify_certificate`. */
export function certificateCases(): OfflineCase[] {
  const { sub } = certificateClaims;
  const of = (claims: object, key = trusted) => signToken('license+jwt', { ...certificateClaims, ...claims }, key);
  const one = (title: string, token: unknown, changes: object, result: Record<string, unknown>): OfflineCase => {
    return { title, operation: 'verify_certificate', arguments: { token, ...options, ...changes }, result };
  };
  const accepted = (title: string, token: string, changes: object = {}) =>
    one(title, token, changes, { valid: true, code: 'LICENSE.VALID' });
  const refused = (title: string, token: string, reason: string, changes: object = {}) =>
    one(title, token, changes, {
      ...(signedReasons.test(reason) ? { license: { id: sub }, claims: { sub } } : silent),
      valid: false,
      code: `CERTIFICATE.${reason}`,
    });
  return [
    one(
      'a certificate is valid, and its claims are the verdict',
      of({}),
      { fingerprint, product: 'editor' },
      {
        valid: true,
        code: 'LICENSE.VALID',
        nonce: null,
        license: {
          ...{ id: certificateClaims.sub, key_hint: '…7QX2', product: 'editor', policy: 'standard' },
          expires_at: certificateClaims.license_expires_at,
          maintenance_expires_at: certificateClaims.maintenance_expires_at,
          holder: { name: 'Ada Lovelace' },
          max_activations: 3,
        },
        activation: { fingerprint },
        entitlements: [
          { code: 'export', type: 'boolean', has_access: true, limit: null, usage: null, reason: null },
          { code: 'seats', has_access: true, value: 5, reason: null },
          { code: 'beta', has_access: false, reason: 'ENTITLEMENT.EXPIRED' },
        ],
        claims: { ...certificateClaims },
      },
    ),
    one(
      'unknown claims of a newer service are kept',
      of({ brand_new_claim: { inner_field: [1] } }),
      {},
      {
        valid: true,
        claims: { brand_new_claim: { inner_field: [1] } },
      },
    ),
    one(
      'unknown fields of an entitlement of a newer service are kept',
      of({ entitlements: [{ ...certificateClaims.entitlements[0], brand_new_field: 7 }] }),
      {},
      { valid: true, entitlements: [{ code: 'export', has_access: true, usage: null, brand_new_field: 7 }] },
    ),
    ...maintenanceCases(of, one),
    ...[
      one('a license without limits and holder', of(unlimited), {}, { valid: true, license: unlimitedLicense }),
      one(
        'a certificate of a service before version 1.1 names no limits and no holder',
        of(unsaid),
        { version_released_at: '2026-05-28T00:00:00Z' },
        { valid: true, license: unlimitedLicense, claims: { sub, ...unlimited } },
      ),
    ],
    refused('an end of the maintenance that is no time', of({ maintenance_expires_at: 'soon' }), 'MALFORMED'),
    refused('an end of the license that is a number', of({ license_expires_at: nowSeconds }), 'MALFORMED'),
    refused('a name of the holder that is no text', of({ holder_name: { first: 'Ada' } }), 'MALFORMED'),
    refused('a number of seats that is a text', of({ seats: '3' }), 'MALFORMED'),
    accepted('a key of before a rotation is accepted while it is in the key set', of({}, rotated)),
    accepted('a certificate for a device passes if the application names none', of({})),
    one(
      'a certificate for no device has no activation',
      of({ fingerprint: null }),
      {},
      { valid: true, activation: null },
    ),
    refused(
      'a certificate for no device does not pass for a device',
      of({ fingerprint: null }),
      'FINGERPRINT_MISMATCH',
      { fingerprint },
    ),
    refused('another device', of({}), 'FINGERPRINT_MISMATCH', { fingerprint: 'device-2' }),
    refused('the device in capital letters', of({}), 'FINGERPRINT_MISMATCH', { fingerprint: 'DEVICE-1' }),
    refused('another product', of({}), 'PRODUCT_MISMATCH', { product: 'viewer' }),
    one(
      'nothing has access with a certificate that is refused',
      of({}),
      { product: 'viewer' },
      {
        valid: false,
        entitlements: [{ has_access: false }, { has_access: false }, { has_access: false }],
      },
    ),
    accepted('a certificate is valid a second before its end', of({ exp: nowSeconds + 1 })),
    refused('a certificate has expired at its end', of({ exp: nowSeconds }), 'EXPIRED'),
    refused('a certificate has expired after its end', of({ exp: nowSeconds - 1 }), 'EXPIRED'),
    accepted('the tolerance moves the end', of({ exp: nowSeconds - 59 }), { clock_tolerance_seconds: 60 }),
    refused('the tolerance ends', of({ exp: nowSeconds - 60 }), 'EXPIRED', { clock_tolerance_seconds: 60 }),
    accepted('a certificate is valid from its beginning', of({ nbf: nowSeconds })),
    refused('a certificate is not valid before its beginning', of({ nbf: nowSeconds + 1 }), 'NOT_YET_VALID'),
    accepted('the tolerance moves the beginning', of({ nbf: nowSeconds + 60 }), { clock_tolerance_seconds: 60 }),
    refused('the tolerance of the beginning ends', of({ nbf: nowSeconds + 61 }), 'NOT_YET_VALID', {
      clock_tolerance_seconds: 60,
    }),
    refused('claims without a product', of({ product: undefined }), 'MALFORMED'),
    refused('entitlements that are a text', of({ entitlements: 'export' }), 'MALFORMED'),
    refused('an empty key set', of({}), 'KEY_UNKNOWN', { jwks: { keys: [] } }),
    ...unusableKeys().map(([title, key]) => refused(title, of({}), 'KEY_UNKNOWN', { jwks: { keys: [key] } })),
    refused('two keys with the same id', of({}), 'KEY_UNKNOWN', {
      jwks: { keys: [trusted.jwk, { ...rotated.jwk, kid: trusted.kid }] },
    }),
    accepted('a key without the optional members', of({}), { jwks: { keys: [withoutOptional(trusted.jwk)] } }),
    accepted('keys of other kinds are ignored', of({}), {
      jwks: { keys: [{ kty: 'RSA', kid: 'r', n: 'AQ', e: 'AQAB' }, {}, trusted.jwk] },
    }),
    ...[...forgeries('license+jwt', certificateClaims), ...unfit('license+jwt', certificateClaims)].map((forgery) =>
      refused(`refused: ${forgery.title}`, forgery.token, forgery.reason),
    ),
    one(
      'nothing is said about a license by a token whose signature is wrong',
      of({}).replace(/.{8}$/, 'AAAAAAAA'),
      {},
      { ...silent, valid: false },
    ),
    ...impossibleOptions('verify_certificate', { token: of({}), ...options }),
  ];
}

/** The end of the maintenance refuses a version that was released later, with the code of the online verdict. */
function maintenanceCases(
  of: (claims: object) => string,
  one: (title: string, token: unknown, changes: object, result: Record<string, unknown>) => OfflineCase,
): OfflineCase[] {
  const { maintenance_expires_at: end, sub } = certificateClaims;
  const valid = { valid: true, code: 'LICENSE.VALID' };
  const expired = { valid: false, code: 'LICENSE.MAINTENANCE_EXPIRED', license: { id: sub }, claims: { sub } };
  const nothing = { entitlements: [{ has_access: false }, { has_access: false }, { has_access: false }] };
  const released = (version_released_at: string) => ({ version_released_at });
  return [
    one('a version that was released at the end of the maintenance', of({}), released(end), valid),
    one('a version in another time zone', of({}), released('2026-05-15T02:00:00+02:00'), valid),
    one('a version that was released after the maintenance', of({}), released('2026-05-15T00:00:01Z'), {
      ...expired,
      ...nothing,
    }),
    one('maintenance without an end', of({ maintenance_expires_at: null }), released('2026-05-28T00:00:00Z'), valid),
    one('the maintenance does not matter to a version without a date', of({}), {}, valid),
    one(
      'another product is the reason before the maintenance',
      of({}),
      { ...released('2026-05-28T00:00:00Z'), product: 'viewer' },
      { valid: false, code: 'CERTIFICATE.PRODUCT_MISMATCH' },
    ),
    {
      title: 'a date of the version that is no date is a mistake of the caller',
      operation: 'verify_certificate',
      arguments: { token: of({}), ...options, ...released('yesterday') },
      error: { code: 'CONFIGURATION.INVALID' },
    },
  ];
}

function unusableKeys(): [string, object][] {
  const { jwk } = trusted;
  return [
    ['a key for encryption', { ...jwk, use: 'enc' }],
    ['a key for another algorithm', { ...jwk, alg: 'ES256' }],
    ['a key of another type', { ...jwk, kty: 'EC' }],
    ['a key of another curve', { ...jwk, crv: 'X25519' }],
    ['a key that is too short', { ...jwk, x: 'AAAA' }],
    ['a key without its public part', { ...jwk, x: undefined }],
  ];
}

function withoutOptional(jwk: Readonly<Record<string, string>>): object {
  const { kty, crv, x, kid } = jwk;
  return { kty, crv, x, kid };
}

function impossibleOptions(operation: string, valid: Readonly<Record<string, unknown>>): OfflineCase[] {
  const one = (title: string, changes: object): OfflineCase => {
    return { title, operation, arguments: { ...valid, ...changes }, error: { code: 'CONFIGURATION.INVALID' } };
  };
  return [
    one('an empty issuer is a mistake of the caller', { issuer: '' }),
    one('an empty audience is a mistake of the caller', { audience: '' }),
    one('a key set without keys is a mistake of the caller', { jwks: {} }),
    one('a negative tolerance is a mistake of the caller', { clock_tolerance_seconds: -1 }),
  ];
}

/** Returns the cases of `verify_verdict`. */
export function verdictCases(): OfflineCase[] {
  const of = (claims: object) => signToken('verdict+jwt', { ...verdictClaims, ...claims }, trusted);
  const one = (title: string, answer: object, changes: object, result: Record<string, unknown>): OfflineCase => {
    const given = { verdict: { ...verdict, ...answer }, ...options, nonce, ...changes };
    return { title, operation: 'verify_verdict', arguments: given, result };
  };
  const refused = (title: string, answer: object, reason: string, changes: object = {}) =>
    one(title, answer, changes, { ...silent, valid: false, code: `PROOF.${reason}` });
  const question = {
    license_key: verdict.license.key,
    license_id: verdict.license.id,
    entitlements: ['export'],
    version_released_at: '2026-05-01T00:00:00Z',
  };
  const denial = { valid: false, code: 'LICENSE.EXPIRED' };
  const unknown = { valid: false, code: 'LICENSE.NOT_FOUND' };
  return [
    one(
      'a right proof gives the verdict',
      { proof: of({}) },
      { fingerprint, product: 'editor' },
      {
        valid: true,
        code: 'LICENSE.VALID',
        license: verdict.license,
        claims: { ...verdictClaims },
      },
    ),
    one('nothing is said about a license without a right proof', { proof: 'a.b.c' }, {}, { ...silent, valid: false }),
    one('a signed denial is a result', { ...denial, proof: of(denial) }, { product: 'editor', fingerprint }, denial),
    one(
      'a signed denial of an unknown key is a result',
      { ...unknown, license: null, proof: of({ ...unknown, sub: null, product: null }) },
      {},
      unknown,
    ),
    one(
      'unknown codes of a newer service are results',
      { code: 'LICENSE.BRAND_NEW', proof: of({ code: 'LICENSE.BRAND_NEW' }) },
      {},
      { valid: true, code: 'LICENSE.BRAND_NEW' },
    ),
    refused('no proof', {}, 'MISSING'),
    refused('a proof of another question', { proof: of({ nonce: 'nonce-of-another-question' }) }, 'NONCE_MISMATCH'),
    refused(
      'an old verdict with its own nonce',
      { nonce: 'nonce-of-another-question', proof: of({ nonce: 'nonce-of-another-question' }) },
      'NONCE_MISMATCH',
    ),
    refused('a proof without a nonce', { proof: of({ nonce: undefined }) }, 'NONCE_MISMATCH'),
    refused('a denial turned into an approval', { proof: of(denial) }, 'VERDICT_MISMATCH'),
    refused(
      'a denial turned into an approval with the same code',
      { code: denial.code, proof: of(denial) },
      'VERDICT_MISMATCH',
    ),
    refused('a changed code', { code: 'LICENSE.IN_GRACE', proof: of({}) }, 'VERDICT_MISMATCH'),
    refused(
      'the license of another customer',
      { license: { ...verdict.license, id: certificateClaims.jti }, proof: of({}) },
      'VERDICT_MISMATCH',
    ),
    refused('a license that was removed', { license: null, proof: of({}) }, 'VERDICT_MISMATCH'),
    refused('a nonce that was removed', { nonce: null, proof: of({}) }, 'VERDICT_MISMATCH'),
    refused('another device', { proof: of({}) }, 'FINGERPRINT_MISMATCH', { fingerprint: 'device-2' }),
    refused('a proof for no device', { proof: of({ fingerprint: null }) }, 'FINGERPRINT_MISMATCH', { fingerprint }),
    refused('another product', { proof: of({}) }, 'PRODUCT_MISMATCH', { product: 'viewer' }),
    one(
      'the proof of the whole question',
      { proof: of({ entitlements: ['export'], version_released_at: '2026-05-01T00:00:00.000000Z' }) },
      question,
      { valid: true },
    ),
    refused('the proof for another license key', { proof: of({}) }, 'QUESTION_MISMATCH', {
      license_key: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE',
    }),
    refused('the proof for another license', { proof: of({}) }, 'QUESTION_MISMATCH', {
      license_id: certificateClaims.jti,
    }),
    refused('a proof in which the entitlements are left out', { proof: of({}) }, 'QUESTION_MISMATCH', {
      entitlements: ['export'],
    }),
    refused('a proof for other entitlements', { proof: of({ entitlements: ['beta'] }) }, 'QUESTION_MISMATCH', {
      entitlements: ['export'],
    }),
    refused('a proof in which the date of the release is left out', { proof: of({}) }, 'QUESTION_MISMATCH', {
      version_released_at: '2026-05-01T00:00:00Z',
    }),
    refused(
      'a proof for another release',
      { proof: of({ version_released_at: '2025-05-01T00:00:00.000000Z' }) },
      'QUESTION_MISMATCH',
      { version_released_at: '2026-05-01T00:00:00Z' },
    ),
    refused('a proof of the past', { proof: of({ iat: nowSeconds - 400, exp: nowSeconds - 100 }) }, 'EXPIRED'),
    refused('a proof of the future', { proof: of({ iat: nowSeconds + 100, exp: nowSeconds + 400 }) }, 'NOT_YET_VALID'),
    one(
      'the tolerance moves both ends',
      { proof: of({ iat: nowSeconds + 50, exp: nowSeconds + 350 }) },
      { clock_tolerance_seconds: 60 },
      { valid: true },
    ),
    ...[...forgeries('verdict+jwt', verdictClaims), ...unfit('verdict+jwt', verdictClaims)].map((forgery) =>
      refused(`refused: ${forgery.title}`, { proof: forgery.token }, forgery.reason),
    ),
    ...impossibleOptions('verify_verdict', { verdict: { ...verdict, proof: of({}) }, ...options, nonce }),
  ];
}

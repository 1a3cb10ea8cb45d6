import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { SigningKeysTable } from '../../../db/tables/tenant/administration.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { memoizeText } from '../../../lib/memoize.ts';
import type { PublicJwk } from './schemas.ts';

/** The key that signs. Its private key is present, sealed under the application key. */
export interface ActiveSigningKey extends SigningKeysTable {
  readonly status: 'active';
  readonly sealed_private_jwk: string;
}

/** EdDSA over Curve25519 (RFC 8037), the only algorithm that the service signs with. */
const algorithm = 'EdDSA';

/** Verifiers may have cached the key set just before the rotation. */
const overlapDaysMin = 1;

/** Far below the overlap, so that differences between the clocks of nodes do not matter. */
const shortLifeSeconds = 3600;

/** Generates an Ed25519 key pair. Its id is the thumbprint of the public key (RFC 7638). */
export function generateSigningKey(keyring: Keyring, at: Timestamp): ActiveSigningKey {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  if (x === undefined || d === undefined) throw new Error('The generated key pair lacks x or d: not an Ed25519 key.');
  const kid = thumbprintOf(x);
  const publicJwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x, kid, alg: algorithm, use: 'sig' };
  return {
    kid,
    status: 'active',
    public_jwk_json: JSON.stringify(publicJwk),
    sealed_private_jwk: keyring.seal(JSON.stringify({ ...publicJwk, d })),
    app_key_fingerprint: keyring.fingerprint,
    certificates_expire_at: at,
    created_at: at,
    retires_at: null,
  };
}

/** Returns the thumbprint of a public key (RFC 7638, section 3, and RFC 8037, appendix A.3). */
function thumbprintOf(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}

/** The claims of a token (RFC 7519, section 4). `sub` is null when the token is about nothing that exists. */
type Claims = Readonly<Record<string, unknown>>;

/** The claims and the type of a token. */
export interface Token {
  /** The `typ` header (RFC 8725, section 3.11), so that a token of one type is not accepted as another type. */
  readonly type: string;
  readonly claims: Claims;
}

/**
 * Signs a token. Returns a compact JWS (RFC 7515, section 7.1). Synchronous, because signing in another thread costs
 * twice the CPU time of the signature.
 */
export function signWith(kid: string, privateKey: KeyObject, { type, claims }: Token): string {
  const signed = `${toBase64Url({ alg: algorithm, typ: type, kid })}.${toBase64Url(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

function toBase64Url(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Returns true for a token that expires within the overlap of a rotation. */
export function isShortLived(until: Timestamp, now: Timestamp): boolean {
  return until <= addSeconds(now, shortLifeSeconds);
}

/** Returns the end of the UTC day. Rounding up limits updates of `certificates_expire_at` to about one per day. */
export function endOfDay(timestamp: Timestamp): Timestamp {
  return addDays(`${timestamp.slice(0, 10)}T00:00:00.000000Z`, 1);
}

/**
 * Returns the time until which the public key of a key replaced at `at` stays published: until its last certificate
 * expires, at least one day.
 */
export function retirementOf(key: SigningKeysTable, at: Timestamp): Timestamp {
  const earliest = addDays(at, overlapDaysMin);
  return key.certificates_expire_at > earliest ? key.certificates_expire_at : earliest;
}

/** Returns the private key of a sealed private JWK. Throws when no application key opens it. */
export type PrivateKeys = (sealedPrivateJwk: string) => KeyObject;

/**
 * Creates the cache of decrypted private keys: decrypting one costs several times as much as a signature. The cache key
 * is the sealed key, which the signer reads from the tenant's database each time, so that a replaced key is not used.
 */
export function createPrivateKeys(keyring: Pick<Keyring, 'open'>): PrivateKeys {
  return memoizeText((sealed) => createPrivateKey({ key: JSON.parse(keyring.open(sealed)), format: 'jwk' }));
}

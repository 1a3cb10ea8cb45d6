import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import type { SigningKeysTable } from '../../../db/tables/tenant/signing-keys.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { PublicJwk } from './schemas.ts';

/** A key that may sign: its private half is there, sealed under the application key. */
export interface ActiveSigningKey extends SigningKeysTable {
  readonly status: 'active';
  readonly sealed_private_jwk: string;
}

/** EdDSA over Curve25519 (RFC 8037): the one algorithm that the service signs with. */
const algorithm = 'EdDSA';

/** Verifiers may have read the key set a moment before the rotation, and keep it for a while. */
const overlapDaysMin = 1;

/** Makes a new Ed25519 key pair; its id is the thumbprint of the public key (RFC 7638). */
export async function generateSigningKey(keyring: Keyring, at: Timestamp): Promise<ActiveSigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
  const [{ x }, { d }] = await Promise.all([exportJWK(publicKey), exportJWK(privateKey)]);
  if (x === undefined || d === undefined) throw new Error('The key pair that was made is no Ed25519 key pair.');
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
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

/** What a token says, and of which kind it is. */
export interface Token {
  /** The `typ` of its header (RFC 8725, section 3.11), so that no token is taken for one of another kind. */
  readonly type: string;
  readonly claims: JWTPayload;
}

/** Signs a token: a compact JWS (RFC 7515). `privateJwk` is what was sealed. */
export async function signWith(kid: string, privateJwk: string, { type, claims }: Token): Promise<string> {
  const privateKey = await importJWK(JSON.parse(privateJwk), algorithm);
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: type, kid }).sign(privateKey);
}

/** The end of the day, so that a busy key notes how long its certificates live about once a day and not each time. */
export function endOfDay(timestamp: Timestamp): Timestamp {
  return addDays(`${timestamp.slice(0, 10)}T00:00:00.000000Z`, 1);
}

/** Until when the public half of a key that is replaced at `at` is still told: until nothing it signed is valid. */
export function retirementOf(key: SigningKeysTable, at: Timestamp): Timestamp {
  const earliest = addDays(at, overlapDaysMin);
  return key.certificates_expire_at > earliest ? key.certificates_expire_at : earliest;
}

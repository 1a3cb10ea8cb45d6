import { decodeBase64 } from './base64.ts';
import type { RefusalReason } from './codes.ts';
import { configurationError } from './error.ts';

/** A public key of a vendor (RFC 8037). */
export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly kid: string;
  readonly alg?: string;
  readonly use?: string;
}

/** The public keys of a vendor (RFC 7517), as `LicensingClient.jwks` returns them. */
export interface Jwks {
  readonly keys: readonly PublicJwk[];
}

/** What every signed statement of the service is verified against. */
export interface VerificationOptions {
  /** The public keys of the vendor, embedded in the application. */
  readonly jwks: Jwks;
  /** The `PUBLIC_URL` of the service. */
  readonly issuer: string;
  /** The id of the vendor's tenant. */
  readonly audience: string;
  /** The current time; by default this machine's clock. */
  readonly now?: Date | undefined;
  /** How much this machine's clock may differ from the service's, 60 by default. */
  readonly clockToleranceSeconds?: number | undefined;
}

/** Why a statement is refused: the last segment of its code, and a sentence. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
}

/** The claims of every statement, with the names of RFC 7519. */
export interface SignedClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string | null;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  readonly [claim: string]: unknown;
}

/** The result of a verification. */
export interface Verified {
  /** The claims, if the signature is correct. */
  readonly claims?: SignedClaims;
  /** Why the statement must not be used; undefined if it is in order. */
  readonly refusal?: Refusal | undefined;
}

/** Bytes that WebCrypto accepts. */
type Bytes = Uint8Array<ArrayBuffer>;

const maxTokenLength = 1024 * 1024;

/**
 * Verifies a compact JWS (RFC 7515) with Ed25519, and its type, key, issuer, audience and time. Accepts one form only:
 * base64url without padding or spare bits, the algorithm `EdDSA`, no critical header, exactly one key with the `kid`.
 * Throws only for options that cannot work, never because of the token.
 */
export async function verifyToken(token: unknown, type: string, options: VerificationOptions): Promise<Verified> {
  assertVerifiable(options);
  const parts = typeof token === 'string' && token.length <= maxTokenLength ? token.split('.') : [];
  const [header, claims, signature] = parts;
  const head = parseObject(header);
  const body = parseObject(claims);
  const signed = decode(signature);
  if (parts.length !== 3 || !head || !body || !signed || 'crit' in head) {
    return refused('MALFORMED', 'It is no statement of the service. Fetch it again.');
  }
  if (head['alg'] !== 'EdDSA') return refused('ALGORITHM_REFUSED', 'It is not signed with EdDSA. Fetch it again.');
  if (head['typ'] !== type)
    return refused('TYPE_REFUSED', `Its type is not ${type}. Pass the other kind of statement.`);
  const key = keyOf(options.jwks, head['kid']);
  if (key === undefined)
    return refused(
      'KEY_UNKNOWN',
      '`jwks` has not exactly one key with its id. Embed the current key set of the vendor.',
    );
  if (!(await isSignedBy(key, signed, `${header}.${claims}`))) {
    return refused('SIGNATURE_INVALID', 'Its signature is wrong: it was changed. Fetch it again.');
  }
  if (!isSignedClaims(body)) return refused('MALFORMED', 'It is no statement of the service. Fetch it again.');
  return { claims: body, refusal: refusalOf(body, options) };
}

function refused(reason: RefusalReason, detail: string): Verified {
  return { refusal: { reason, detail } };
}

function refusalOf(claims: SignedClaims, options: VerificationOptions): Refusal | undefined {
  const { now = new Date(), clockToleranceSeconds = 60 } = options;
  const nowSeconds = now.getTime() / 1000;
  const { iss, aud } = claims;
  const { issuer, audience } = options;
  if (iss !== issuer) {
    const detail = `Its issuer is ${iss}, not ${issuer}. Set \`issuer\` to the PUBLIC_URL of your service.`;
    return { reason: 'ISSUER_MISMATCH', detail };
  }
  if (aud !== audience) {
    const detail = `Its audience is ${aud}, not ${audience}. Set \`audience\` to the id of your tenant.`;
    return { reason: 'AUDIENCE_MISMATCH', detail };
  }
  if (nowSeconds + clockToleranceSeconds < (claims.nbf ?? claims.iat)) {
    return { reason: 'NOT_YET_VALID', detail: 'It is not valid yet. Correct the clock of this device.' };
  }
  if (nowSeconds - clockToleranceSeconds >= claims.exp)
    return { reason: 'EXPIRED', detail: 'It has expired. Connect to the service to get a new one.' };
  return undefined;
}

function isSignedClaims(claims: Record<string, unknown>): claims is SignedClaims {
  const { iss, aud, sub, iat, nbf = 0, exp } = claims;
  const areTexts = typeof iss === 'string' && typeof aud === 'string' && (sub === null || typeof sub === 'string');
  return areTexts && [iat, nbf, exp].every(Number.isFinite);
}

/** Throws `CONFIGURATION.INVALID` for options that cannot work, and names what is missing. */
export function assertVerifiable(options: VerificationOptions): void {
  const { jwks, issuer, audience, now, clockToleranceSeconds = 0 } = options;
  if (!Array.isArray(jwks?.keys)) throw configurationError('`jwks` must be the JWK Set of the vendor.');
  // An empty text would be equal to the empty claim of a token for nobody.
  if (!issuer) throw configurationError('`issuer` is missing. Set it to the PUBLIC_URL of your service.');
  if (!audience) throw configurationError('`audience` is missing. Set it to the id of your tenant.');
  if (now !== undefined && !(now instanceof Date && !Number.isNaN(now.getTime())))
    throw configurationError('`now` must be a valid Date.');
  if (!(typeof clockToleranceSeconds === 'number' && clockToleranceSeconds >= 0))
    throw configurationError('`clockToleranceSeconds` must be a number from 0.');
}

/** Returns the bytes of the Ed25519 key with this id; undefined without exactly one such key. */
function keyOf({ keys }: Jwks, kid: unknown): Bytes | undefined {
  const [key, ...others] = keys.filter((one) => one?.kid === kid);
  if (typeof kid !== 'string' || key === undefined || others.length > 0) return undefined;
  const { kty, crv, alg = 'EdDSA', use = 'sig', x } = key;
  const bytes = decode(x);
  const isUsable = kty === 'OKP' && crv === 'Ed25519' && alg === 'EdDSA' && use === 'sig' && bytes?.length === 32;
  return isUsable ? bytes : undefined;
}

async function isSignedBy(key: Bytes, signature: Bytes, signed: string): Promise<boolean> {
  const publicKey = await importKey(key);
  if (signature.length !== 64) return false;
  return crypto.subtle.verify('Ed25519', publicKey, signature, new TextEncoder().encode(signed));
}

async function importKey(key: Bytes): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
  } catch (cause) {
    throw configurationError('WebCrypto has no Ed25519 here. Use Node 20, or a current browser and https.', cause);
  }
}

/** Returns the bytes of canonical base64url (RFC 4648, section 5); undefined for any other text. */
function decode(text: unknown): Bytes | undefined {
  if (typeof text !== 'string' || !/^[\w-]+$/.test(text)) return undefined;
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat(-text.length & 3));
}

function parseObject(part: string | undefined): Record<string, unknown> | undefined {
  const bytes = decode(part);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

import { createHmac, randomBytes } from 'node:crypto';
import { type Timestamp, toEpochSeconds } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Keyring } from '../../../lib/keyring.ts';

/** A secret that signs deliveries until it expires. */
interface SigningSecret {
  readonly secret: string;
  /** Null for the newest secret, which does not expire. */
  readonly expires_at: Timestamp | null;
}

const prefix = 'whsec_';
const secretBytes = 32;
const overlapDays = 1;
/** Every secret signs every delivery. More rotations than this within a day drop the oldest secret early. */
const secretsMax = 5;

/** Returns a new signing secret as Standard Webhooks writes it: `whsec_` and base64. */
export function generateSigningSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

function generateSecret(): SigningSecret {
  return { secret: generateSigningSecret(), expires_at: null };
}

/** Separates the fingerprint of the application key from the secrets that it encrypted. */
const separator = '.';

function seal(keyring: Keyring, values: readonly SigningSecret[] | readonly OwnHeader[]): string {
  return keyring.fingerprint + separator + keyring.seal(JSON.stringify(values));
}

function open<Value>(keyring: Keyring, sealed: string): Value[] {
  return JSON.parse(keyring.open(sealed.slice(sealed.indexOf(separator) + 1)));
}

/**
 * Encrypts secrets or headers under the current application key. Returns null if they already are, or if there are none.
 * Throws if no key can decrypt them.
 */
export function resealSecrets(keyring: Keyring, sealed: string): string | null {
  const isCurrent = sealed === '' || sealed.startsWith(keyring.fingerprint + separator);
  return isCurrent ? null : seal(keyring, open<SigningSecret>(keyring, sealed));
}

/** A header of the tenant's own, such as the authorization for a gateway. Its value is a secret. */
export interface OwnHeader {
  readonly name: string;
  readonly value: string;
}

/** Encrypts the own headers of an endpoint. */
export function sealHeaders(keyring: Keyring, headers: readonly OwnHeader[]): string {
  return headers.length === 0 ? '' : seal(keyring, headers);
}

/** Decrypts the own headers of an endpoint. Throws if no application key can. */
export function openHeaders(keyring: Keyring, sealed: string): readonly OwnHeader[] {
  return sealed === '' ? [] : open(keyring, sealed);
}

function readSecrets(keyring: Keyring, sealed: string, now: Timestamp): readonly SigningSecret[] {
  const secrets = open<SigningSecret>(keyring, sealed);
  return secrets.filter(({ expires_at }) => expires_at === null || expires_at > now);
}

/** Creates a secret. Returns it together with its encrypted form for storage. */
export function newSecret(keyring: Keyring): { readonly secret: string; readonly sealed: string } {
  const created = generateSecret();
  return { secret: created.secret, sealed: seal(keyring, [created]) };
}

/** Adds a new secret. The previous secrets continue to sign for 24 h. Throws if no application key can decrypt them. */
export function rotateSecret(
  keyring: Keyring,
  sealed: string,
  now: Timestamp,
): { readonly secret: string; readonly sealed: string } {
  const created = generateSecret();
  const before = readSecrets(keyring, sealed, now).map((one) => ({
    ...one,
    expires_at: one.expires_at ?? addDays(now, overlapDays),
  }));
  return {
    secret: created.secret,
    sealed: seal(keyring, [created, ...before].slice(0, secretsMax)),
  };
}

/**
 * Returns when the last of the previous secrets stops signing; null if only the newest secret signs. Throws if no
 * application key can decrypt them.
 */
export function previousSecretExpiry(keyring: Keyring, sealed: string, now: Timestamp): Timestamp | null {
  const expiries = readSecrets(keyring, sealed, now).flatMap(({ expires_at }) => expires_at ?? []);
  return expiries.toSorted().at(-1) ?? null;
}

/** Returns the `webhook-…` headers of a request (Standard Webhooks), with one signature per valid secret. */
export type SignHeaders = (
  sealedSecrets: string,
  message: { readonly id: string; readonly body: string; readonly at: Timestamp },
) => Record<string, string>;

/**
 * Creates a function that signs messages and decrypts the secrets of each endpoint once. Create one per run, not per
 * process, so that expired secrets stop signing. The function throws if no application key can decrypt the secrets.
 */
export function createSigner(keyring: Keyring, now: Timestamp): SignHeaders {
  const keysOfEndpoints = new Map<string, readonly Buffer[]>();
  const keysOf = (sealed: string) => {
    const known = keysOfEndpoints.get(sealed);
    if (known !== undefined) return known;
    const keys = readSecrets(keyring, sealed, now).map(({ secret }) =>
      Buffer.from(secret.slice(prefix.length), 'base64'),
    );
    keysOfEndpoints.set(sealed, keys);
    return keys;
  };
  return (sealedSecrets, { id, body, at }) => {
    const timestamp = messageTimestamp(at);
    const signed = `${id}.${timestamp}.${body}`;
    // The standard's library computes hashes in JavaScript at several times the cost. Tests verify with that library.
    const signatures = keysOf(sealedSecrets).map(
      (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  };
}

/** Returns the `webhook-timestamp` of an attempt that began at `at`: whole seconds since 1970. */
export function messageTimestamp(at: Timestamp): string {
  return String(toEpochSeconds(at));
}

import { randomBytes } from 'node:crypto';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Keyring } from '../../../lib/keyring.ts';

/** A secret that signs, until it ends. */
interface SigningSecret {
  readonly secret: string;
  /** Null for the newest, which does not end. */
  readonly expires_at: Timestamp | null;
}

const prefix = 'whsec_';
const secretBytes = 32;
const overlapDays = 1;
/** Each signs every delivery: who rotates more often than this in a day loses the oldest. */
const secretsMax = 5;

function generateSecret(): SigningSecret {
  return { secret: prefix + randomBytes(secretBytes).toString('base64'), expires_at: null };
}

/** The fingerprint of the application key stands before what it sealed. */
const separator = '.';

function seal(keyring: Keyring, secrets: readonly SigningSecret[]): string {
  return keyring.fingerprint + separator + keyring.seal(JSON.stringify(secrets));
}

function open(keyring: Keyring, sealed: string): SigningSecret[] {
  return JSON.parse(keyring.open(sealed.slice(sealed.indexOf(separator) + 1)));
}

/** The same secrets under the current application key; null when they are already. Throws when no key opens them. */
export function resealSecrets(keyring: Keyring, sealed: string): string | null {
  return sealed.startsWith(keyring.fingerprint + separator) ? null : seal(keyring, open(keyring, sealed));
}

function readSecrets(keyring: Keyring, sealed: string, now: Timestamp): readonly SigningSecret[] {
  const secrets = open(keyring, sealed);
  return secrets.filter(({ expires_at }) => expires_at === null || expires_at > now);
}

/** A new secret, and what to store for it. */
export function newSecret(keyring: Keyring): { readonly secret: string; readonly sealed: string } {
  const made = generateSecret();
  return { secret: made.secret, sealed: seal(keyring, [made]) };
}

/** A new secret beside those of before, which go on signing for 24 h. */
export function rotateSecret(
  keyring: Keyring,
  sealed: string,
  now: Timestamp,
): { readonly secret: string; readonly sealed: string } {
  const made = generateSecret();
  const before = readSecrets(keyring, sealed, now).map((one) => ({
    ...one,
    expires_at: one.expires_at ?? addDays(now, overlapDays),
  }));
  return {
    secret: made.secret,
    sealed: seal(keyring, [made, ...before].slice(0, secretsMax)),
  };
}

/** The secrets that sign at `now`, newest first. Throws when no application key opens them. */
export function signingSecrets(keyring: Keyring, sealed: string, now: Timestamp): readonly string[] {
  return readSecrets(keyring, sealed, now).map(({ secret }) => secret);
}

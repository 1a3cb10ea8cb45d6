import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** The RFC 6238 parameters that every authenticator app supports: SHA-1, six digits, a period of 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** The recommended length of a shared secret, 160 bits (RFC 4226, section 4). */
const secretBytes = 20;
/** The previous and the next code are accepted too, for clock differences and slow typing (RFC 6238, section 5.2). */
const stepsAround = 1;
const issuer = 'Licensing';

/** The number of recovery codes that a subject gets. */
export const recoveryCodeCount = 10;
const recoveryCodeBytes = 10;
const recoveryCodeLength = 16;
/** Crockford's base32 alphabet, which has no characters that look alike. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns a new shared secret in base32. */
export function newSecret(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32;
}

/** Returns the `otpauth://` URL that an authenticator app reads from a QR code. */
export function otpauthUrl(secret: string, email: string): string {
  return new TOTP({ ...parameters, issuer, label: email, secret }).toString();
}

/**
 * Returns the time step (RFC 6238) of a code that is accepted at `nowMs`: the current, the previous or the next one.
 * Returns null for a wrong code.
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token, timestamp: nowMs, window: stepsAround });
  return delta === null ? null : totp.counter({ timestamp: nowMs }) + delta;
}

/** Returns ten new recovery codes of 80 random bits each, in groups of four: `7k2m-p9qx-4h6t-c3vw`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    base32(randomBytes(recoveryCodeBytes)).replace(/.{4}(?!$)/g, '$&-'),
  );
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((group) => alphabet[Number.parseInt(group, 2)]).join('');
}

/**
 * Returns the SHA-256 hash under which a recovery code is stored. Ignores case, spaces and hyphens, and reads `o` as 0
 * and `i` and `l` as 1. Returns null for a text that is not a recovery code.
 */
export function recoveryCodeHash(code: string): string | null {
  const plain = code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
  if (plain.length !== recoveryCodeLength || [...plain].some((character) => !alphabet.includes(character))) return null;
  return createHash('sha256').update(plain).digest('hex');
}

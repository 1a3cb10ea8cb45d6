import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** RFC 6238 as every authenticator app knows it: SHA-1, six digits, 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226, section 4: 160 bits. */
const secretBytes = 20;
/** Clocks and typing: the code before and the one after count as well (RFC 6238, section 5.2). */
const stepsAround = 1;
const issuer = 'Licensing';

export const recoveryCodeCount = 10;
const recoveryCodeBytes = 10;
const recoveryCodeLength = 16;
/** Crockford's base32: no letter that looks like another character. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A new shared secret, in base32. */
export function newSecret(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32;
}

/** What an authenticator app reads from a QR code. */
export function otpauthUrl(secret: string, email: string): string {
  return new TOTP({ ...parameters, issuer, label: email, secret }).toString();
}

/** The time step that a code of the app belongs to, of those that count at `nowMs`; null for a wrong code. */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token, timestamp: nowMs, window: stepsAround });
  return delta === null ? null : totp.counter({ timestamp: nowMs }) + delta;
}

/** Ten new codes, as people read them: `7k2m-p9qx-4h6t-c3vw`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    base32(randomBytes(recoveryCodeBytes)).replace(/.{4}(?!$)/g, '$&-'),
  );
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((group) => alphabet[Number.parseInt(group, 2)]).join('');
}

/** What is stored of a recovery code, however it is typed; null for a text that is none. */
export function recoveryCodeHash(code: string): string | null {
  const plain = code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
  if (plain.length !== recoveryCodeLength || [...plain].some((character) => !alphabet.includes(character))) return null;
  return createHash('sha256').update(plain).digest('hex');
}

import { randomBytes } from 'node:crypto';

/** Crockford's base32 alphabet: no I, L, O or U, so that a key can be read aloud (https://www.crockford.com/base32.html). */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const groupLength = 5;
const randomCharacters = 24;

/**
 * The check character of the Luhn mod N algorithm with N = 32 (ISO/IEC 7812-1 annex B generalised to an alphabet,
 * https://en.wikipedia.org/wiki/Luhn_mod_N_algorithm). It finds every single wrong character and nearly every swap
 * of two neighbours. `characters` are of Crockford's alphabet.
 */
export function luhnMod32(characters: string): string {
  const size = alphabet.length;
  let factor = 2;
  let sum = 0;
  for (let index = characters.length - 1; index >= 0; index -= 1) {
    const product = factor * alphabet.indexOf(characters.charAt(index));
    sum += Math.floor(product / size) + (product % size);
    factor = factor === 2 ? 1 : 2;
  }
  return alphabet.charAt((size - (sum % size)) % size);
}

/**
 * A new license key of 120 random bits: `PREFIX-XXXXX-XXXXX-XXXXX-XXXXX-XXXXX` (without a prefix, five groups only).
 * The last character checks the 24 before it; the prefix is not part of the sum.
 */
export function generateLicenseKey(prefix: string | null): string {
  // 256 is a multiple of 32, so the low five bits of a random byte are unbiased.
  const random = Array.from(randomBytes(randomCharacters), (byte) => alphabet.charAt(byte & 31)).join('');
  const characters = random + luhnMod32(random);
  const groups = prefix === null ? [] : [prefix];
  for (let start = 0; start < characters.length; start += groupLength) {
    groups.push(characters.slice(start, start + groupLength));
  }
  return groups.join('-');
}

/** How many characters a license key may have. */
export const licenseKeyMaxLength = 128;

/**
 * What a caller's own key looks like: 1..128 characters that stand in a URL path without encoding (`pchar` of
 * RFC 3986, section 3.3), because the Integration API takes the key there. It begins with a letter or a digit,
 * which also rules out the path segments `.` and `..`.
 */
export const ownKeyPattern = `^[A-Za-z0-9][A-Za-z0-9._~!$&'()*+,;=:@-]{0,${licenseKeyMaxLength - 1}}$`;

const ownKey = new RegExp(ownKeyPattern);

/** True for a key that a license can have. Anything else needs no look-up: no license has it. */
export function isWellFormedOwnKey(key: string): boolean {
  return ownKey.test(key);
}

/**
 * The masked form of a license key: an ellipsis and its last characters, 4 at most and never more than a quarter of
 * the key. The holder recognises the key by it, and nobody can use it.
 */
export function keyHint(key: string): string {
  const shown = Math.min(4, Math.floor(key.length / 4));
  return `…${key.slice(key.length - shown)}`;
}

import { randomBytes } from 'node:crypto';

/** Crockford's base32 alphabet (https://www.crockford.com/base32.html): no I, L, O or U, so keys can be read aloud. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const groupLength = 5;
const randomCharacters = 24;

/**
 * Returns the check character of the Luhn mod N algorithm with N = 32 (ISO/IEC 7812-1 annex B generalised to an
 * alphabet, https://en.wikipedia.org/wiki/Luhn_mod_N_algorithm). It detects every single wrong character and nearly
 * every transposition of two adjacent characters. `characters` must be in Crockford's alphabet.
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
 * Returns a new license key with 120 random bits: `PREFIX-XXXXX-XXXXX-XXXXX-XXXXX-XXXXX`, without a prefix only the
 * five groups. The last character is the check character of the 24 characters before it; the prefix is not included.
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

/** The maximum length of a license key, in characters. */
export const licenseKeyMaxLength = 128;

/**
 * The pattern of keys that callers choose: 1 to 128 characters that need no encoding in a URL path (`pchar`, RFC 3986,
 * section 3.3), because the paths of the Integration API contain the key. The first character is a letter or a digit,
 * which also excludes the path segments `.` and `..`.
 */
export const ownKeyPattern = `^[A-Za-z0-9][A-Za-z0-9._~!$&'()*+,;=:@-]{0,${licenseKeyMaxLength - 1}}$`;

const ownKey = new RegExp(ownKeyPattern);

/** Returns true for a well-formed key. No license has any other key, so callers can skip the database then. */
export function isWellFormedOwnKey(key: string): boolean {
  return ownKey.test(key);
}

/**
 * Returns the masked form of a license key: an ellipsis and its last characters, at most 4 and at most a quarter of the
 * key. The holder can recognise the key, but the masked form cannot be used.
 */
export function keyHint(key: string): string {
  const shown = Math.min(4, Math.floor(key.length / 4));
  return `…${key.slice(key.length - shown)}`;
}

import { randomBytes } from 'node:crypto';
import type { Actor } from '../../../tenancy/tenant.ts';

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
  return [...(prefix === null ? [] : [prefix]), ...grouped(characters)].join('-');
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

/** White space, control and format characters (line ends, a byte order mark), which a copied text may have. */
const invisible = /[\s\p{Cc}\p{Cf}]/u;
/** People write other separators, and word processors replace `-` by other dashes, also by the minus sign and bullets. */
const separator = /[\s\p{Cc}\p{Cf}\p{Pd}_.:/\u02d7\u2043\u2212]/u;
const generatedCharacters = /^[0-9A-Za-z]{25}$/;

/**
 * Returns the other spellings under which a key that a person typed or pasted may be stored: without surrounding white
 * space, and, if it ends like a generated key (25 characters with their check character), with that end in upper case,
 * with its dashes, and with digits instead of the letters that Crockford's alphabet lacks (`O`, `I`, `L`). The case of the
 * prefix is unknown, so the prefix has three spellings. Empty for most keys. A key that the vendor chose can look like a
 * generated one, so look for the key itself first.
 */
export function otherSpellings(key: string): string[] {
  const trimmed = trim(key);
  const { prefix, characters } = splitGenerated(trimmed);
  const spellings = [trimmed];
  if (generatedCharacters.test(characters)) {
    const generated = characters.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
    const random = generated.slice(0, randomCharacters);
    if (isInAlphabet(generated) && luhnMod32(random) === generated.slice(randomCharacters)) {
      const groups = grouped(generated);
      for (const start of [prefix, prefix.toUpperCase(), prefix.toLowerCase()]) {
        spellings.push([...(start === '' ? [] : [start]), ...groups].join('-'));
      }
    }
  }
  return [...new Set(spellings)].filter((spelling) => spelling !== key && isWellFormedOwnKey(spelling));
}

/** Not by an expression for both ends, whose time would grow with the square of the length. */
function trim(key: string): string {
  let [start, end] = [0, key.length];
  while (start < end && invisible.test(key.charAt(start))) start += 1;
  while (end > start && invisible.test(key.charAt(end - 1))) end -= 1;
  return key.slice(start, end);
}

/** Splits a key before its last 25 characters, without the separators between them. */
function splitGenerated(key: string): { readonly prefix: string; readonly characters: string } {
  let start = key.length;
  let characters = '';
  while (start > 0 && characters.length <= randomCharacters) {
    start -= 1;
    const character = key.charAt(start);
    if (!separator.test(character)) characters = character + characters;
  }
  while (start > 0 && separator.test(key.charAt(start - 1))) start -= 1;
  return { prefix: key.slice(0, start), characters };
}

function isInAlphabet(characters: string): boolean {
  return [...characters].every((character) => alphabet.includes(character));
}

function grouped(characters: string): string[] {
  const groups = [];
  for (let start = 0; start < characters.length; start += groupLength) {
    groups.push(characters.slice(start, start + groupLength));
  }
  return groups;
}

/**
 * Reads what belongs to a key as a person typed or pasted it. The key as it is comes first, so a known key costs one
 * read. No license has a malformed key, so none is read for it. To an API key that is bound to a product, a license of
 * another product is unknown: every route that names a license by its key reads it here.
 */
export async function readByTypedKey<Row extends { readonly product_id: string }>(
  key: string,
  { productId }: Pick<Actor, 'productId'>,
  read: (key: string) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  let row = isWellFormedOwnKey(key) ? await read(key) : undefined;
  if (row === undefined) {
    for (const spelling of otherSpellings(key)) {
      row = await read(spelling);
      if (row !== undefined) break;
    }
  }
  return productId === undefined || row?.product_id === productId ? row : undefined;
}

/**
 * Returns the masked form of a license key: an ellipsis and its last characters, at most 4 and at most a quarter of the
 * key. The holder can recognise the key, but the masked form cannot be used.
 */
export function keyHint(key: string): string {
  const shown = Math.min(4, Math.floor(key.length / 4));
  return `…${key.slice(key.length - shown)}`;
}

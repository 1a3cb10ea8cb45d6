import { randomBytes } from 'node:crypto';

/** Crockford's base32 alphabet: no I, L, O or U, which people confuse with 1 and 0. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 8;

/** Returns a code of 40 random bits that a person types from a mail: `K7QF-9M2P`. */
export function newTrialCode(): string {
  // 256 is a multiple of 32, so the low five bits of a random byte are unbiased.
  const characters = Array.from(randomBytes(length), (byte) => alphabet.charAt(byte & 31)).join('');
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}

/** Returns a code as it was sent, from what a person typed: in any case, with or without its dash, with O for 0. */
export function typedTrialCode(text: string): string {
  const characters = text
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}

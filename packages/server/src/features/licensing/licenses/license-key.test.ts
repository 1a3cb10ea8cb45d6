import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateLicenseKey, isWellFormedOwnKey, keyHint, luhnMod32, otherSpellings } from './license-key.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const bodies = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 24, maxLength: 24 });

describe('generated keys', () => {
  test('a generated key has five groups of five with a check character, after the prefix', () => {
    for (const [prefix, pattern] of [
      [null, /^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/],
      ['ACME', /^ACME-([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/],
    ] as const) {
      const key = generateLicenseKey(prefix);
      expect(key).toMatch(pattern);
      const characters = key.replace(/^ACME-/, '').replaceAll('-', '');
      expect(luhnMod32(characters.slice(0, 24))).toBe(characters.slice(24));
    }
  });

  test('generated keys never repeat, use every character of the alphabet, and are well-formed', () => {
    const keys = Array.from({ length: 500 }, () => generateLicenseKey(null));
    expect(new Set(keys).size).toBe(500);
    expect(new Set(keys.join('').replaceAll('-', '')).size).toBe(32);
    expect(keys.every(isWellFormedOwnKey)).toBe(true);
  });
});

describe('the check character', () => {
  test('the check character follows the published example of Luhn mod N, with this alphabet', () => {
    // Calculated manually, doubling from the right: Z(31)->62->1+30=31, A(10)->10, 1->2. Sum 43, 64 - 43 = 21 = N.
    expect(luhnMod32('1AZ')).toBe('N');
    expect(luhnMod32('0000')).toBe('0');
  });

  test('the check character changes with every single wrong character', () => {
    fc.assert(
      fc.property(bodies, fc.nat(23), fc.integer({ min: 1, max: 31 }), (body, position, shift) => {
        const wrong = alphabet.charAt((alphabet.indexOf(body.charAt(position)) + shift) % 32);
        expect(luhnMod32(body.slice(0, position) + wrong + body.slice(position + 1))).not.toBe(luhnMod32(body));
      }),
    );
  });
});

test.each([
  ['A', true],
  ["my-own.key_1~!$&'()*+,;=:@", true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['.', false],
  ['..', false],
  ['-a', false],
  ['a b', false],
  ['a/b', false],
  ['a?b', false],
  ['a#b', false],
  ['a%41', false],
  ['a\\b', false],
  ['a\u0000b', false],
  ['schlüssel', false],
  ['a\n', false],
])('whether a caller may choose the key %j: %s', (key, accepted) => {
  expect(isWellFormedOwnKey(key)).toBe(accepted);
});

test.each([
  ['AAAAA-BBBBB-CCCCC-DDDDD-EEEEE', '…EEEE'],
  ['ABCDEFGH', '…GH'],
  ['ABC', '…'],
])('the hint of the key %s is %s, at most a quarter of the key', (key, hint) => {
  expect(keyHint(key)).toBe(hint);
});

describe('a key as a person typed or pasted it', () => {
  const typed: readonly [string, (key: string) => string][] = [
    ['in lower case', (key) => key.toLowerCase()],
    ['without the dashes of its groups', (key) => key.replace(/(?<=-.{5})-/g, '')],
    ['without any dash', (key) => key.replaceAll('-', '')],
    ['with spaces instead of dashes', (key) => key.replaceAll('-', ' ')],
    ['with the dashes of a word processor', (key) => key.replaceAll('-', '\u2013')],
    ['with white space around it', (key) => ` \t${key}\u00a0`],
    ['with a line end', (key) => `${key}\r\n`],
    ['with a byte order mark', (key) => `\ufeff${key}`],
    [
      'with letters for digits',
      (key) => key.replace(/0/g, 'O').replace(/1/, 'I').replace(/1/, 'l').replaceAll('1', 'i'),
    ],
    ['with underscores', (key) => key.replaceAll('-', '_')],
    ['with dots and colons', (key) => key.replace('-', '.').replaceAll('-', ':')],
    ['with slashes', (key) => key.replaceAll('-', ' / ')],
    ['with minus signs', (key) => key.replaceAll('-', '\u2212')],
    ['on two lines', (key) => `${key.slice(0, -12)}\n${key.slice(-12)}`],
  ];

  test.each(typed)('is found %s, whatever its prefix', (_how, asTyped) => {
    for (const prefix of [null, 'ACME', 'pro', 'A2']) {
      // Every key of the sample has all characters that people confuse.
      const characters = `${generateLicenseKey(null).replaceAll('-', '').slice(0, 20)}0101`;
      const key = [...(prefix ? [prefix] : []), ...((characters + luhnMod32(characters)).match(/.{5}/g) ?? [])].join(
        '-',
      );
      const spellings = otherSpellings(asTyped(key));
      expect(asTyped(key) === key || spellings.includes(key), `${asTyped(key)} for ${key}`).toBe(true);
    }
  });

  test('needs few further reads, and a key as it was issued without a prefix needs none', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => otherSpellings(text).length <= 4));
    expect(otherSpellings(generateLicenseKey(null))).toEqual([]);
  });

  test('has another spelling only if its check character fits', () => {
    const key = generateLicenseKey(null).toLowerCase();
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect([otherSpellings(key).length, otherSpellings(wrong)]).toEqual([1, []]);
  });

  test.each([
    ['My-Own.Key', []],
    [' My-Own.Key\n', ['My-Own.Key']],
    ['my own key', []],
    ['', []],
    [' \n', []],
    ['-'.repeat(500), []],
    ['\u0000', []],
  ])('that the vendor chose has only white space removed: %j', (text, spellings) => {
    expect(otherSpellings(text)).toEqual(spellings);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText, searchWords, textTerms, wholeTerm } from './search-text.ts';

test.each([
  ['Müller', 'muller'],
  ['MULLER', 'muller'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'straße'],
  ['ΟΔΟΣ', 'οδός'],
  ['ﬁnance', 'finance'],
  ['İstanbul', 'istanbul'],
  ['Ａcme', 'acme'],
  ['Élodie', 'E\u0301lodie'],
])('the texts %s and %s fold to the same text', (left, right) => {
  expect(foldText(left)).toBe(foldText(right));
});

test('a prefix of a text folds to a prefix of the folded text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(text, text, (start, rest) => {
      expect(foldText(start + rest).startsWith(foldText(start))).toBe(true);
    }),
  );
});

test('folding a folded text does not change it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text));
    }),
  );
});

describe('the terms of a text', () => {
  test.each([
    [null, []],
    ['  ', []],
    ['John Smith', ['john', 'smith']],
    ['jane.doe@example.com', ['jane.doe@example.com', 'doe@example.com', 'example.com', 'com']],
    ['(Acme) GmbH', ['(acme)', 'acme)', 'gmbh']],
    ['—', ['—']],
  ])('the terms of %s start at its words and nowhere else', (text, terms) => {
    expect([...new Set(textTerms(text))].sort()).toEqual([...terms].sort());
  });

  test('no term exceeds the 512 bytes that fit into an index', () => {
    for (const text of ['x'.repeat(1_000), '💥'.repeat(1_000), 'ﷺ'.repeat(200)]) {
      for (const term of [wholeTerm(text), ...textTerms(text), ...searchWords(text)]) {
        expect(Buffer.byteLength(term)).toBeLessThanOrEqual(512);
      }
    }
  });
});

test('the words of a query are folded, without duplicates, longest first', () => {
  expect(searchWords(' jo  SMITH smith ')).toEqual(['smith', 'jo']);
  expect(searchWords(' \u0301 ')).toEqual([]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText, searchWords, textTerms, wholeTerm } from './search-text.ts';

test.each([
  ['Müller', 'muller'],
  ['MULLER', 'muller'],
  ['Straße', 'STRASSE'],
  ['ΟΔΟΣ', 'οδός'],
  ['ﬁnance', 'finance'],
  ['İstanbul', 'istanbul'],
  ['Ａcme', 'acme'],
  ['Élodie', 'E\u0301lodie'],
])('%s and %s are the same text to a search', (left, right) => {
  expect(foldText(left)).toBe(foldText(right));
});

test('what begins a text begins it to a search as well', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(text, text, (start, rest) => {
      expect(foldText(start + rest).startsWith(foldText(start))).toBe(true);
    }),
  );
});

test('folding twice is folding once', () => {
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
  ])('%s: the beginnings of its words, and nothing but the beginnings', (text, terms) => {
    expect([...new Set(textTerms(text))].sort()).toEqual([...terms].sort());
  });

  test('are never longer than an index can hold', () => {
    for (const text of ['x'.repeat(1_000), '💥'.repeat(1_000), 'ﷺ'.repeat(200)]) {
      for (const term of [wholeTerm(text), ...textTerms(text), ...searchWords(text)]) {
        expect(Buffer.byteLength(term)).toBeLessThanOrEqual(512);
      }
    }
  });
});

test('the words of a search are folded, each once, the longest first', () => {
  expect(searchWords(' jo  SMITH smith ')).toEqual(['smith', 'jo']);
  expect(searchWords(' \u0301 ')).toEqual([]);
});

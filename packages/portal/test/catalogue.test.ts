import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fill } from '../src/language/catalogue.ts';
import { createFormats } from '../src/language/formats.ts';
import { chooseLanguage, languageCodes, languages, localeOf } from '../src/language/languages.ts';

const sources = join(import.meta.dirname, '..', 'src');
const catalogues = await Promise.all(
  languageCodes.map(async (code) => ({ code, texts: Object.entries(await languages[code].load()) })),
);
const [english] = catalogues;
const others = catalogues.slice(1);
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test.each(others)('the texts in $code are those in English, with the same values, and are translated', ({ texts }) => {
  expect(texts.map(([key]) => key)).toEqual(english?.texts.map(([key]) => key));
  const source = new Map(english?.texts);
  for (const [key, text] of texts) {
    // German and French count with "one" where English does too; a value may not be lost on the way.
    expect([key, placeholders(text)]).toEqual([key, placeholders(source.get(key as never) ?? '')]);
    expect(text.trim(), key).toBe(text);
  }
  const same = texts.filter(
    ([key, text]) => text === source.get(key as never) && /\p{L}/u.test(text.replaceAll(/\{\w+\}/g, '')),
  );
  // Words that both languages have.
  const words = ['Updates', 'Downloads', 'Active'];
  expect(same.map(([, text]) => text).filter((text) => !words.includes(text))).toEqual([]);
});

test('every text is used, and every counted text has a form for one and for others', () => {
  const code = globSync('**/*.{ts,tsx}', { cwd: sources, exclude: ['**/*.test.ts', 'language/{en,de,fr}.ts'] })
    .map((file) => readFileSync(join(sources, file), 'utf8'))
    .join('\n');
  const used = new Set([...code.matchAll(/'([a-z]\w*\.\w+)'/gi)].map(([, key]) => key));
  const keys = english?.texts.map(([key]) => key) ?? [];
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter((key) => !used.has(key.replace(/_(one|other)$/, '')))).toEqual([]);
  const forms = (form: string) => keys.filter((key) => key.endsWith(`_${form}`)).map((key) => key.replace(/_\w+$/, ''));
  expect(forms('one')).toEqual(forms('other'));
  expect(forms('one').length).toBeGreaterThan(3);
});

test('a value that contains braces stays as it is', () => {
  expect(fill('{device} of {vendor}', { device: '{vendor}', vendor: 'Acme' })).toBe('{vendor} of Acme');
});

test.each([
  [['de-AT', 'en'], null, 'de', 'de-AT'],
  [['pt-BR', 'fr-CA'], null, 'fr', 'fr-CA'],
  [['ja'], null, 'en', 'en'],
  [[], null, 'en', 'en'],
  [['de-AT', 'en-GB'], 'en', 'en', 'en-GB'],
  [['de'], 'xx', 'de', 'de'],
] as const)('a browser with %j, choice %s, reads %s in the format of %s', (preferred, chosen, language, locale) => {
  expect(chooseLanguage(preferred, chosen)).toBe(language);
  expect(localeOf(language, preferred)).toBe(locale);
});

test('the last day before midnight is the day before', () => {
  const { lastDay } = createFormats('en-GB');
  const midnight = new Date(2027, 6, 1).toISOString();
  expect([lastDay(midnight), lastDay(midnight.replace('00.000', '01.000'))]).toEqual(['30 June 2027', '1 July 2027']);
});

test('times, lengths of time and numbers follow the language', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  const of = (locale: string) => {
    const formats = createFormats(locale);
    return [
      formats.date('2027-05-03T12:00:00Z'),
      formats.distance('2026-11-23T12:00:00Z', now),
      formats.distance('2026-11-27T12:00:00Z', now),
      formats.distance('2026-11-26T11:59:40Z', now),
      formats.distance('2027-01-11T12:00:00Z', now),
      formats.duration(30 * 86_400),
      formats.duration(365 * 86_400),
      formats.duration(5_400),
      formats.number(12_345),
    ].map((text) => text.replaceAll(/\s/g, ' '));
  };
  expect(of('en-GB')).toEqual([
    '3 May 2027',
    '3 days ago',
    'tomorrow',
    'now',
    '11 January 2027',
    '30 days',
    '1 year',
    '90 minutes',
    '12,345',
  ]);
  expect(of('de')).toEqual([
    '3. Mai 2027',
    'vor 3 Tagen',
    'morgen',
    'jetzt',
    '11. Januar 2027',
    '30 Tage',
    '1 Jahr',
    '90 Minuten',
    '12.345',
  ]);
  expect(of('fr')).toEqual([
    '3 mai 2027',
    'il y a 3 jours',
    'demain',
    'maintenant',
    '11 janvier 2027',
    '30 jours',
    '1 an',
    '90 minutes',
    '12 345',
  ]);
});

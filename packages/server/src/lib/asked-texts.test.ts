import { expect, test } from 'vitest';
import { AskedTexts } from './asked-texts.ts';

const textsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test('each of 50,000 texts is remembered, and none is taken for another', () => {
  const asked = new AskedTexts();
  const texts = textsOf('text', 49_999);
  expect(texts.filter((text) => asked.add(text))).toEqual([]);
  expect(texts.filter((text) => !asked.add(text))).toEqual([]);
});

test('a text that is asked for again and again is not forgotten among many others', () => {
  const asked = new AskedTexts();
  asked.add('busy');
  for (const [index, text] of textsOf('text', 300_000).entries()) {
    asked.add(text);
    if (index % 40_000 === 0) expect(asked.add('busy')).toBe(true);
  }
  expect(asked.add('text-0')).toBe(false);
});

import { expect, test } from 'vitest';
import { AskedKeys } from './asked-keys.ts';

const keysOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test('each of 50,000 keys is remembered, and none is taken for another', () => {
  const asked = new AskedKeys();
  const keys = keysOf('KEY', 49_999);
  expect(keys.filter((key) => asked.add(key))).toEqual([]);
  expect(keys.filter((key) => !asked.add(key))).toEqual([]);
});

test('a key that is asked for again and again is not forgotten among many others', () => {
  const asked = new AskedKeys();
  asked.add('busy');
  for (const [index, key] of keysOf('KEY', 300_000).entries()) {
    asked.add(key);
    if (index % 40_000 === 0) expect(asked.add('busy')).toBe(true);
  }
  expect(asked.add('KEY-0')).toBe(false);
});

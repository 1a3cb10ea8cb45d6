import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { weaknessOf } from './common-passwords.ts';

const text = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8');
const [comment = '', list = ''] = text.trimEnd().split('\n\n');
const entries = list.split('\n');

test('the list has 10,000 different passwords of an allowed length, in lower case, and each one is refused', () => {
  expect(comment.startsWith('# ')).toBe(true);
  expect(entries).toHaveLength(10_000);
  expect(new Set(entries).size).toBe(10_000);
  for (const entry of entries) {
    expect(entry.length).toBeGreaterThanOrEqual(12);
    expect(weaknessOf(entry)).not.toBeNull();
  }
});

test('neither a part of the list nor its comment is refused', () => {
  for (const password of ['correct horse battery staple', '10,000 most common', '1qaz2wsx3edcX', ' 1qaz2wsx3edc']) {
    expect(weaknessOf(password)).toBeNull();
  }
});

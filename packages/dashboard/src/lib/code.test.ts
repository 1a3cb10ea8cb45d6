import { expect, test } from 'vitest';
import { proposeCode } from './code.ts';

test.for([
  ['Pro, one year', 'pro-one-year'],
  ['  Éditeur Ünïcode 2 ', 'editeur-unicode-2'],
  ['--', ''],
  ['日本', ''],
  ['x'.repeat(80), 'x'.repeat(64)],
] as const)('the code proposed for %j is %j', ([name, code]) => {
  expect(proposeCode(name)).toBe(code);
});

import { expect, test } from 'vitest';
import { positionOf } from './json-position.ts';

const definition = {
  state: 'ENABLED',
  variants: { on: true, 'a "quoted" name, {': [1, { deep: null }], off: 'no' },
  targeting: { if: [{ '==': [1, 2] }, 'on'] },
};
const text = JSON.stringify(definition, null, 2);

test.each([
  [['state'], '"ENABLED"'],
  [['variants', 'off'], '"no"'],
  [['variants', 'a "quoted" name, {', '1', 'deep'], 'null'],
  [['targeting', 'if', '0', '==', '1'], '2'],
  [['targeting', 'if', '1'], '"on"'],
])('the value at %j begins where its text begins', (path, value) => {
  const { offset, line } = positionOf(text, path);
  expect(text.slice(offset, offset + value.length)).toBe(value);
  expect(text.split('\n')[line - 1]).toContain(value);
});

test('a path whose end does not exist leads to the innermost value that does', () => {
  expect(positionOf(text, ['defaultVariant'])).toEqual({ offset: 0, line: 1 });
  const variants = positionOf(text, ['variants', 'none', 'deeper']);
  expect(text.slice(variants.offset).startsWith('{\n    "on"')).toBe(true);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './attempts.ts';

/** Reverses the order of the keys of every object. */
function withReversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, withReversedKeys(item)]),
  );
}

test('canonical JSON does not depend on the order of keys and parses to the same value as plain JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(canonicalJson(withReversedKeys(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each([
  [{ a: 1 }, { a: '1' }],
  [{ a: null }, {}],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: { b: 1 } }, { a: 1, b: 1 }],
  [JSON.parse('{"__proto__":{"a":1}}'), {}],
])('canonical JSON of %j differs from that of %j', (one, other) => {
  expect(canonicalJson(one)).not.toBe(canonicalJson(other));
});

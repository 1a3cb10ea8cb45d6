import fc from 'fast-check';
import { expect, test } from 'vitest';
import { activationCapacity } from '../licenses/activation-capacity.ts';
import { maskedName } from './activation.ts';

test.each([
  [null, 2, 50, { limit: 2, admitted: 3 }],
  [null, 2, 0, { limit: 2, admitted: 2 }],
  [null, 1, 50, { limit: 1, admitted: 1 }],
  [null, 3, 50, { limit: 3, admitted: 4 }],
  [null, 2, null, { limit: 2, admitted: null }],
  [null, null, 50, { limit: null, admitted: null }],
  [4, 2, 100, { limit: 4, admitted: 8 }],
  [4, null, 0, { limit: 4, admitted: 4 }],
  [0, 2, 10_000, { limit: 0, admitted: 0 }],
])('a license limit of %s, a policy limit of %s and %s %% overage give %o', (own, ofPolicy, percent, expected) => {
  const policy = { max_activations: ofPolicy, activation_overage_percent: percent };
  expect(activationCapacity({ max_activations: own }, policy)).toEqual(expected);
});

test('the overage is rounded down exactly for every limit that the API accepts', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(10_000), (limit, percent) => {
      const policy = { max_activations: limit, activation_overage_percent: percent };
      const exact = (BigInt(limit) * BigInt(100 + percent)) / 100n;
      expect(activationCapacity({ max_activations: null }, policy).admitted).toBe(Number(exact));
    }),
  );
});

test.each([
  [null, null],
  ['X', '…'],
  ['PC', 'P…'],
  ['Laptop', 'Lap…'],
  ["Ada Lovelace's laptop", 'Ada…'],
  ['🖥🖥🖥🖥', '🖥🖥…'],
])('the name %j of a device is shown as %j', (name, shown) => {
  expect(maskedName(name)).toBe(shown);
});

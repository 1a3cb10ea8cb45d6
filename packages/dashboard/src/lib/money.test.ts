import { expect, test } from 'vitest';
import { decimalsOf, savingPercent, toMajor, toMinor } from './money.ts';

test.each([
  ['eur', 2, 4990, 49.9],
  ['jpy', 0, 4990, 4990],
  ['kwd', 3, 4990, 4.99],
])(
  'money in %s has %i decimal places, and survives the way to a field and back',
  (currency, decimals, minor, major) => {
    expect(decimalsOf(currency)).toBe(decimals);
    expect(toMajor(minor, currency)).toBe(major);
    expect(toMinor(major, currency)).toBe(minor);
  },
);

test('an amount that binary numbers cannot hold exactly becomes the nearest minor unit', () => {
  expect(toMinor(1.1 + 2.2, 'usd')).toBe(330);
  expect(toMinor(1.005, 'kwd')).toBe(1005);
});

test('the saving of a yearly price is never rounded up', () => {
  expect(savingPercent(4900, 49000)).toBe(16);
  expect(savingPercent(4900, 58800)).toBe(0);
  expect(savingPercent(0, 100)).toBe(0);
});

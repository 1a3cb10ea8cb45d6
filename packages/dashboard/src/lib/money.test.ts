import { expect, test } from 'vitest';
import { decimalsOf, moneyText, parseMoney, problemOfMoney, savingPercent } from './money.ts';

test.each([
  ['eur', 2, 4990, '49.90'],
  ['eur', 2, -5, '-0.05'],
  ['jpy', 0, 4990, '4990'],
  ['kwd', 3, 4990, '4.990'],
  ['HUF', 2, 4990, '49.90'],
])(
  'money in %s has %i decimal places, and survives the way to a field and back: %i',
  (currency, places, minor, text) => {
    expect(decimalsOf(currency)).toBe(places);
    expect(moneyText(minor, currency)).toBe(text);
    expect(parseMoney(text, currency)).toBe(minor);
  },
);

test.each([
  ['49.9', 'eur', 4990],
  ['49,9', 'eur', 4990],
  ['1.005', 'kwd', 1005],
  // Multiplied as binary numbers, these would be 113.99999999999999 and 435.00000000000006.
  ['1.14', 'usd', 114],
  ['4.35', 'usd', 435],
  ['90071992547409.91', 'usd', 9007199254740991],
  ['-0', 'usd', 0],
])('an amount as people write it becomes exactly its minor units: %s %s', (text, currency, minor) => {
  expect(parseMoney(text, currency)).toBe(minor);
});

test.each([
  ['', 'usd'],
  ['1.234', 'usd'],
  ['1.5', 'jpy'],
  ['1,000.00', 'usd'],
  ['1,000', 'kwd'],
  ['1 000', 'usd'],
  ['.5', 'usd'],
  ['1e3', 'usd'],
  ['90071992547409.92', 'usd'],
])('a text that is not an amount of the currency is refused instead of rounded: "%s" %s', (text, currency) => {
  expect(parseMoney(text, currency)).toBeUndefined();
  expect(problemOfMoney(text, currency)).toMatch(/^Enter an amount/);
});

test('the saving of a yearly price is never rounded up', () => {
  expect(savingPercent(4900, 49000)).toBe(16);
  expect(savingPercent(4900, 58800)).toBe(0);
  expect(savingPercent(0, 100)).toBe(0);
});

import { describe, expect, test } from 'vitest';
import { formatMoney } from './money.ts';

describe('formatMoney', () => {
  test.each([
    [2900, 'usd', 'USD 29.00'],
    [5, 'eur', 'EUR 0.05'],
    [-1234567, 'usd', '-USD 12,345.67'],
    [2900, 'jpy', 'JPY 2,900'],
    [2900, 'kwd', 'KWD 2.900'],
    [0, 'kwd', 'KWD 0.000'],
    [290000, 'huf', 'HUF 2,900.00'],
    [290000, 'COP', 'COP 2,900.00'],
    [2900, 'iqd', 'IQD 2.900'],
    [Number.MAX_SAFE_INTEGER, 'usd', 'USD 90,071,992,547,409.91'],
  ])('formatMoney formats %i minor units of %s as %s', (amount, currency, text) =>
    expect(formatMoney(amount, currency)).toBe(text),
  );
});

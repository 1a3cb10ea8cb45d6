import { expect, test } from 'vitest';
import { addDays, addSeconds, latestTimestamp } from './duration.ts';

test.each([
  ['2026-11-20T17:42:00.123456Z', 1, '2026-11-21T17:42:00.123456Z'],
  ['2028-02-28T00:00:00.000007Z', 1, '2028-02-29T00:00:00.000007Z'],
  ['2026-12-31T23:59:59.999999Z', 1, '2027-01-01T23:59:59.999999Z'],
  ['9999-12-31T00:00:00.000000Z', 36_500, latestTimestamp],
  [latestTimestamp, 1, latestTimestamp],
])('addDays adds to %s %i days, keeps the microseconds and stops at the year 9999', (start, days, expected) => {
  expect(addDays(start, days)).toBe(expected);
});

test('addSeconds keeps the microseconds', () => {
  expect(addSeconds('2026-11-20T23:59:58.000001Z', 5)).toBe('2026-11-21T00:00:03.000001Z');
});

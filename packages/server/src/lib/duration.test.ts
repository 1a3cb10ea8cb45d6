import { expect, test } from 'vitest';
import { addDays, addMonths, addSeconds, endOfMonth, latestTimestamp } from './duration.ts';

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

test.each([
  ['2027-01-31T12:00:00.000007Z', 1, 'UTC', '2027-02-28T12:00:00.000007Z'],
  ['2028-01-31T12:00:00.000000Z', 1, 'UTC', '2028-02-29T12:00:00.000000Z'],
  ['2028-02-29T12:00:00.000000Z', 12, 'UTC', '2029-02-28T12:00:00.000000Z'],
  // 00:30 on February 1 in Berlin: the day of the timezone counts.
  ['2027-01-31T23:30:00.000000Z', 1, 'Europe/Berlin', '2027-02-28T23:30:00.000000Z'],
  // Noon stays noon when the clocks change.
  ['2027-03-01T11:00:00.000000Z', 1, 'Europe/Berlin', '2027-04-01T10:00:00.000000Z'],
  // 02:30 does not exist on March 28, 2027.
  ['2027-02-28T01:30:00.000000Z', 1, 'Europe/Berlin', '2027-03-28T01:30:00.000000Z'],
  ['9999-12-01T00:00:00.000000Z', 1, 'UTC', latestTimestamp],
  [latestTimestamp, 1200, 'UTC', latestTimestamp],
])('addMonths adds to %s %i months in %s by the calendar', (start, months, timeZone, expected) => {
  expect(addMonths(start, months, timeZone)).toBe(expected);
});

test.each([
  ['2027-02-10T12:00:00.000007Z', 'UTC', '2027-02-28T23:59:59.999999Z'],
  ['2028-02-10T12:00:00.000000Z', 'UTC', '2028-02-29T23:59:59.999999Z'],
  // The end of a month stays, and so does midnight after it.
  ['2027-01-31T23:59:59.999999Z', 'UTC', '2027-01-31T23:59:59.999999Z'],
  ['2027-02-01T00:00:00.000000Z', 'UTC', '2027-01-31T23:59:59.999999Z'],
  ['2027-02-01T00:00:00.000001Z', 'UTC', '2027-02-28T23:59:59.999999Z'],
  // 00:30 on February 1 in Berlin, and 16:30 on January 31 in Los Angeles.
  ['2027-01-31T23:30:00.000000Z', 'Europe/Berlin', '2027-02-28T22:59:59.999999Z'],
  ['2027-02-01T00:30:00.000000Z', 'America/Los_Angeles', '2027-02-01T07:59:59.999999Z'],
  // The clocks change in the last days of March.
  ['2027-03-10T12:00:00.000000Z', 'Europe/Berlin', '2027-03-31T21:59:59.999999Z'],
  ['9999-12-10T00:00:00.000000Z', 'UTC', latestTimestamp],
  [latestTimestamp, 'America/Los_Angeles', latestTimestamp],
])('endOfMonth of %s in %s is the last microsecond of that month', (timestamp, timeZone, expected) => {
  expect(endOfMonth(timestamp, timeZone)).toBe(expected);
});

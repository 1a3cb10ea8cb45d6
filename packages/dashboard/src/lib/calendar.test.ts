import { expect, test } from 'vitest';
import { addDuration } from './calendar.ts';

test.for([
  { from: '2027-01-31T12:00:00.000Z', months: 1, timeZone: 'UTC', to: '2027-02-28T12:00:00.000Z' },
  { from: '2028-02-29T12:00:00.000Z', months: 12, timeZone: 'UTC', to: '2029-02-28T12:00:00.000Z' },
  { from: '2027-11-23T09:00:00.000Z', months: 12, timeZone: 'Europe/Berlin', to: '2028-11-23T09:00:00.000Z' },
  { from: '2027-01-30T23:30:00.000Z', months: 1, timeZone: 'Europe/Berlin', to: '2027-02-27T23:30:00.000Z' },
])('$months months after $from in $timeZone is $to', ({ from, months, timeZone, to }) => {
  expect(addDuration(from, { days: null, months }, timeZone)).toBe(to);
});

test('days have 24 hours, and no duration has no end', () => {
  expect(addDuration('2027-03-27T12:00:00.000Z', { days: 2, months: null }, 'Europe/Berlin')).toBe(
    '2027-03-29T12:00:00.000Z',
  );
  expect(addDuration('2027-03-27T12:00:00.000Z', { days: null, months: null }, 'UTC')).toBeNull();
});

import { expect, test } from 'vitest';
import { isDay, lastMomentMs, momentOfDay } from './day.ts';

test.for([
  ['2027-06-30', 'expires_at', 'America/Los_Angeles', '2027-07-01T06:59:59.999999Z'],
  ['2027-06-30', 'maintenance_expires_at', 'UTC', '2027-06-30T23:59:59.999999Z'],
  ['2027-06-30', 'ends_at', 'Asia/Tokyo', '2027-06-30T14:59:59.999999Z'],
  ['2027-06-30', 'paid_until', 'Europe/Berlin', '2027-06-30T21:59:59.999999Z'],
  ['2027-06-30', 'to', 'UTC', '2027-06-30T23:59:59.999999Z'],
  ['2027-06-30', 'starts_at', 'America/Los_Angeles', '2027-06-30T07:00:00.000000Z'],
  ['2027-06-30', 'expires_after', 'UTC', '2027-06-30T00:00:00.000000Z'],
  // The clocks change on this day: it has 23 or 25 hours, or no midnight, or does not exist at all.
  ['2027-03-14', 'expires_at', 'America/Los_Angeles', '2027-03-15T06:59:59.999999Z'],
  ['2027-11-07', 'expires_at', 'America/Los_Angeles', '2027-11-08T07:59:59.999999Z'],
  ['2018-11-04', 'starts_at', 'America/Sao_Paulo', '2018-11-04T03:00:00.000000Z'],
  ['2018-11-03', 'expires_at', 'America/Sao_Paulo', '2018-11-04T02:59:59.999999Z'],
  ['2011-12-30', 'expires_at', 'Pacific/Apia', '2011-12-30T09:59:59.999999Z'],
  ['9999-12-31', 'expires_at', 'America/Los_Angeles', '9999-12-31T23:59:59.999999Z'],
  ['1970-01-01', 'starts_at', 'Asia/Tokyo', '1970-01-01T00:00:00.000000Z'],
] as const)('the day %s in %s is in %s the moment %s', ([day, name, timeZone, moment]) => {
  expect(isDay(day)).toBe(true);
  expect(momentOfDay(day, name, timeZone)).toBe(moment);
});

test.for([
  '2027-02-29',
  '2027-13-01',
  '2027-00-10',
  '0001-01-01',
  '1969-12-31',
  '10000-01-01',
  '2027-6-30',
  '20270630',
])('%s is no day', (text) => expect(isDay(text)).toBe(false));

test.for([
  ['2027-07-01T06:59:59.999999Z', '2027-06-30'],
  ['2027-07-01T07:00:00.000000Z', '2027-06-30'],
  ['2027-07-01T07:00:01.000000Z', '2027-07-01'],
] as const)('what ends at %s has the last day %s in Los Angeles', ([end, day]) => {
  const date = new Date(lastMomentMs(end)).toLocaleDateString('en-CA', { timeZone: 'America/Los_Angeles' });
  expect(date).toBe(day);
});

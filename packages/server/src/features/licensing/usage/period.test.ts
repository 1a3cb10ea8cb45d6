import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { endOfPeriod, periodsAt, type ResetInterval, startOfPeriod } from './period.ts';

const at = (moment: string, timezone: string) => periodsAt(Date.parse(moment), timezone);
const short = (timestamp: string | null) => timestamp?.replace(':00.000000Z', 'Z');

test.each([
  ['UTC', '2026-11-21T14:30:59.999Z', '2026-11-21T14:00Z', '2026-11-21', '2026-11-16', '2026-11-01', '2026-01-01'],
  ['UTC', '2024-02-29T23:59:59.999Z', '2024-02-29T23:00Z', '2024-02-29', '2024-02-26', '2024-02-01', '2024-01-01'],
  // A week that contains New Year, in two timezones: 1 January 2027 is a Friday.
  ['UTC', '2027-01-01T00:00:00Z', '2027-01-01T00:00Z', '2027-01-01', '2026-12-28', '2027-01-01', '2027-01-01'],
  [
    'America/New_York',
    '2027-01-01T00:00:00Z',
    '2027-01-01T00:00Z',
    '2026-12-31',
    '2026-12-28',
    '2026-12-01',
    '2026-01-01',
  ],
  [
    'Asia/Kathmandu',
    '2026-11-21T18:15:00Z',
    '2026-11-21T18:15Z',
    '2026-11-22',
    '2026-11-16',
    '2026-11-01',
    '2026-01-01',
  ],
  [
    'Asia/Kathmandu',
    '2026-11-21T18:14:59Z',
    '2026-11-21T17:15Z',
    '2026-11-21',
    '2026-11-16',
    '2026-11-01',
    '2026-01-01',
  ],
  [
    'America/St_Johns',
    '2026-11-21T03:29:00Z',
    '2026-11-21T02:30Z',
    '2026-11-20',
    '2026-11-16',
    '2026-11-01',
    '2026-01-01',
  ],
  [
    'Pacific/Kiritimati',
    '2026-12-31T10:00:00Z',
    '2026-12-31T10:00Z',
    '2027-01-01',
    '2026-12-28',
    '2027-01-01',
    '2027-01-01',
  ],
  // Samoa skipped 30 December 2011 when it moved across the date line.
  ['Pacific/Apia', '2011-12-30T09:59:00Z', '2011-12-30T09:00Z', '2011-12-29', '2011-12-26', '2011-12-01', '2011-01-01'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-30T10:00Z', '2011-12-31', '2011-12-26', '2011-12-01', '2011-01-01'],
  // Monrovia was 44 minutes and 30 seconds behind UTC until 7 January 1972.
  [
    'Africa/Monrovia',
    '1972-01-07T00:44:29Z',
    '1972-01-06T23:44Z',
    '1972-01-06',
    '1972-01-03',
    '1972-01-01',
    '1972-01-01',
  ],
  ['UTC', '9999-12-31T23:59:59Z', '9999-12-30T00:00Z', '9999-12-30', '9999-12-27', '9999-12-01', '9999-01-01'],
])('in %s, the time %s is in the hour %s, day %s, week %s, month %s and year %s', (timezone, moment, ...names) => {
  const [hour, day, week, month, year] = names;
  expect(at(moment, timezone)).toEqual({ hour, day, week, month, year, none: '1970-01-01' });
});

describe('clock changes', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    // In this timezone the clock change skips midnight.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00Z', '2018-11-05T02:00Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00Z', '2026-04-05T13:30Z'],
    // Ramadan: clocks go back in February 2026, and forward in March.
    ['Africa/Casablanca', '2026-02-15', '2026-02-14T23:00Z', '2026-02-16T00:00Z'],
    ['Africa/Casablanca', '2026-03-22', '2026-03-22T00:00Z', '2026-03-22T23:00Z'],
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
  ])('in %s the day %s with a clock change lasts from %s to %s', (timezone, day, start, end) => {
    expect(short(startOfPeriod(day, 'day', timezone))).toBe(start);
    expect(short(endOfPeriod(day, 'day', timezone))).toBe(end);
  });

  test('an hour that occurs twice at a clock change is two periods', () => {
    const hours = ['T23:30Z', 'T00:30Z', 'T01:30Z'].map((time, index) => `2026-10-2${index === 0 ? 4 : 5}${time}`);
    expect(hours.map((moment) => at(moment, 'Europe/Berlin').hour)).toEqual([
      '2026-10-24T23:00Z',
      '2026-10-25T00:00Z',
      '2026-10-25T01:00Z',
    ]);
  });

  test('a clock change of half an hour makes one hour longer', () => {
    const moments = ['2026-04-04T14:15Z', '2026-04-04T15:15Z', '2026-04-04T15:30Z'];
    expect(moments.map((moment) => at(moment, 'Australia/Lord_Howe').hour)).toEqual([
      '2026-04-04T14:00Z',
      '2026-04-04T14:00Z',
      '2026-04-04T15:30Z',
    ]);
  });
});

test('the period of a counter that never resets begins at the epoch and has no end', () => {
  expect(startOfPeriod('1970-01-01', 'none', 'Asia/Tokyo')).toBe('1970-01-01T00:00:00.000000Z');
  expect(endOfPeriod('1970-01-01', 'none', 'Asia/Tokyo')).toBeNull();
});

const timezones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Antarctica/Troll',
);
const moments = fc.integer({ min: Date.UTC(2013, 0, 1), max: Date.UTC(2090, 0, 1) });
/** Pairs of times up to three days apart. The first is at a quarter of an hour, where clocks change and days begin. */
const pairs = fc.tuple(moments, fc.integer({ min: 0, max: 3 * 86_400_000 })).map(([first, distance]) => {
  const quarter = 900_000;
  return [Math.floor(first / quarter) * quarter, first + distance] as const;
});

describe('in any timezone', () => {
  test('every time is within each of its periods, in any timezone', () => {
    fc.assert(
      fc.property(moments, timezones, (epochMs, timezone) => {
        const moment = toTimestamp(epochMs);
        const periods = periodsAt(epochMs, timezone);
        expect(startOfPeriod(periods.hour, 'hour', timezone) <= moment).toBe(true);
        for (const interval of ['day', 'week', 'month', 'year'] as const satisfies ResetInterval[]) {
          const start = startOfPeriod(periods[interval], interval, timezone);
          const end = endOfPeriod(periods[interval], interval, timezone) ?? '';
          expect([interval, start <= moment, moment < end]).toEqual([interval, true, true]);
          expect(periodsAt(toEpochMs(start), timezone)[interval]).toBe(periods[interval]);
          expect(periodsAt(toEpochMs(end) - 1, timezone)[interval]).toBe(periods[interval]);
          expect(periodsAt(toEpochMs(end), timezone)[interval] > periods[interval]).toBe(true);
        }
      }),
    );
  });

  test('names of periods sort by time, and the cache does not change them', () => {
    fc.assert(
      fc.property(pairs, timezones, ([earlier, later], timezone) => {
        const before = periodsAt(earlier, timezone);
        const after = periodsAt(later, timezone);
        for (const interval of ['hour', 'day', 'week', 'month', 'year'] as const) {
          expect(before[interval] <= after[interval], interval).toBe(true);
        }
        expect(periodsAt(later, timezone)).toEqual(after);
        const local = Temporal.Instant.fromEpochMilliseconds(later).toZonedDateTimeISO(timezone);
        expect(after.day).toBe(local.toPlainDate().toString());
      }),
      { numRuns: 500 },
    );
  });
});

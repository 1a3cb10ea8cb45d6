import { expect, test } from 'vitest';
import { periodEnd } from './proration.ts';

test.each([
  ['2026-01-31', 'month', ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
  ['2028-01-30', 'month', ['2028-02-29', '2028-03-30']],
  ['2026-12-31', 'month', ['2027-01-31', '2027-02-28']],
  ['2028-02-29', 'year', ['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
  ['2026-11-20', 'year', ['2027-11-20']],
] as const)(
  'periods that start at %s with the interval %s end on that day, or on the last day of a shorter month',
  (day, interval, ends) => {
    const time = 'T23:59:59.123000Z';
    let startsAt = day + time;
    for (const end of ends) {
      startsAt = periodEnd(day + time, interval, startsAt);
      expect(startsAt).toBe(end + time);
    }
  },
);

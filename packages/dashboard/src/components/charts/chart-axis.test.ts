import { expect, test } from 'vitest';
import { binned, timeTicks, valueTicks } from './chart-axis.ts';

test.for([
  [0, true, [0, 1]],
  [1, true, [0, 1]],
  [3, true, [0, 1, 2, 3]],
  [7, true, [0, 2, 4, 6, 8]],
  [41, true, [0, 20, 40, 60]],
  [1999, true, [0, 500, 1000, 1500, 2000]],
  [0.031, false, [0, 0.01, 0.02, 0.03, 0.04]],
] as const)(
  'the axis of values up to %d (counts: %s) has the values %j, and ends at or above the highest',
  ([highest, isCount, ticks]) => {
    expect(valueTicks(highest, isCount)).toEqual(ticks);
  },
);

test('the labels of the time axis have equal distances and include the newest', () => {
  const days = Array.from({ length: 31 }, (_, index) => `day ${index}`);
  expect(timeTicks(days)).toEqual(['day 2', 'day 6', 'day 10', 'day 14', 'day 18', 'day 22', 'day 26', 'day 30']);
  expect(timeTicks(['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
});

test('a year of days becomes weeks whose counts are the sums of their days, and a quarter stays as it is', () => {
  const day = (index: number) => ({ start: `day ${index}`, valid: 1, expired: index === 364 ? 5 : 0 });
  const year = binned(Array.from({ length: 365 }, (_, index) => day(index)));
  expect(year.isWeekly).toBe(true);
  expect(year.points).toHaveLength(52);
  expect(year.points[0]).toEqual({ start: 'day 1', valid: 7, expired: 0 });
  expect(year.points.at(-1)).toEqual({ start: 'day 358', valid: 7, expired: 5 });
  const quarter = Array.from({ length: 90 }, (_, index) => day(index));
  expect(binned(quarter)).toEqual({ points: quarter, isWeekly: false });
});

import { describe, expect, test } from 'vitest';
import { retryDelayMs } from './retry-schedule.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

describe('retry schedule', () => {
  test.each([
    [1, 5 * second],
    [2, 5 * minute],
    [3, 30 * minute],
    [4, 2 * hour],
    [5, 5 * hour],
    [6, 10 * hour],
    [7, 10 * hour],
  ])('the wait after %i failed attempts is %i ms ±20 %%', (attempts, expected) => {
    expect(retryDelayMs(attempts, 0.5, null)).toBe(expected);
    expect(retryDelayMs(attempts, 0, null)).toBe(expected * 0.8);
    expect(retryDelayMs(attempts, 1, null)).toBe(expected * 1.2);
  });

  test.each([8, 9, 100])('no attempt follows after %i failed attempts', (attempts) => {
    expect(retryDelayMs(attempts, 0.5, null)).toBeNull();
    expect(retryDelayMs(attempts, 0.5, 60_000)).toBeNull();
  });

  test.each([
    [0, 5 * minute],
    [5 * minute, 5 * minute],
    [7 * minute, 7 * minute],
    [10 * minute, 10 * minute],
    [24 * hour, 10 * minute],
  ])('a Retry-After of %i ms changes a scheduled wait of 5 min to %i ms', (retryAfterMs, expected) => {
    for (const random of [0, 0.5, 1]) expect(retryDelayMs(2, random, retryAfterMs)).toBe(expected);
  });
});

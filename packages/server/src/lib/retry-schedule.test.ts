import { expect, test } from 'vitest';
import { retryAt, retryDelayMs, retrySchedules } from './retry-schedule.ts';

const { job, endlessJob, migration, serviceMail, webhook } = retrySchedules;

test.each([
  ['the first failure is followed by the first wait', job, 1, 5],
  ['the last wait of a schedule that ends is not followed by another one', job, 8, null],
  ['the last wait of a schedule that does not end repeats', endlessJob, 100, 600],
  ['a migration waits twice as long each time', migration, 10, 512],
  ['a migration waits ten minutes at most', migration, 11, 600],
] as const)('%s', (_name, schedule, failures, seconds) => {
  expect(retryDelayMs(schedule, failures)).toBe(seconds === null ? null : seconds * 1000);
});

test('a schedule with jitter spreads a wait by it, and no other schedule does', () => {
  expect([0, 1].map((random) => retryDelayMs(webhook, 1, random))).toEqual([4000, 6000]);
  expect([0, 1].map((random) => retryDelayMs(job, 1, random))).toEqual([5000, 5000]);
});

test('work that is older than its schedule allows is given up, unless another rule ends it', () => {
  const createdAt = '2026-11-20T12:00:00.000000Z';
  const weekLaterMs = Date.parse('2026-11-27T12:00:00Z');
  expect(retryAt(serviceMail, 1, weekLaterMs - 1, createdAt)).toBe('2026-11-27T12:00:59.999000Z');
  expect(retryAt(serviceMail, 1, weekLaterMs, createdAt)).toBeNull();
  expect(retryAt(serviceMail, 1, weekLaterMs, null)).toBe('2026-11-27T12:01:00.000000Z');
});

import { describe, expect, test } from 'vitest';
import { afterFailedAttempt, deliveryRetryMs } from './record.ts';

const at = '2026-11-20T12:00:00.000000Z';
const later = '2026-11-20T15:00:00.000000Z';
const failed = { responseStatus: 500, retryAfterMs: null };
const delivery = (fields: object = {}) =>
  ({ next_trigger: 'schedule', scheduled_attempts: 0, resume_at: null, ...fields }) as const;

test('a failed scheduled attempt is followed by the next scheduled attempt', () => {
  const { change, exhausts, gone } = afterFailedAttempt(delivery(), failed, at, 0.5);
  const next = '2026-11-20T12:00:05.000000Z';
  expect(change).toMatchObject({ status: 'pending', scheduled_attempts: 1, next_attempt_at: next, claimable_at: next });
  expect([exhausts, gone]).toEqual([false, false]);
});

test('the eighth failed attempt ends the delivery and counts towards disabling the endpoint', () => {
  const { change, exhausts } = afterFailedAttempt(delivery({ scheduled_attempts: 7 }), failed, at, 0.5);
  expect(change).toMatchObject({ status: 'failed', failure_reason: 'attempts_exhausted', next_attempt_at: null });
  expect(exhausts).toBe(true);
});

test.each([
  ['continues the schedule where it was', later, { status: 'pending', next_attempt_at: later, scheduled_attempts: 3 }],
  [
    'ends a delivery whose schedule had ended',
    null,
    { status: 'failed', next_attempt_at: null, scheduled_attempts: 3 },
  ],
])('a failed manual attempt %s and does not count towards disabling the endpoint', (_name, resumeAt, expected) => {
  const manual = delivery({ next_trigger: 'manual', scheduled_attempts: 3, resume_at: resumeAt });
  const { change, exhausts } = afterFailedAttempt(manual, failed, at, 0.5);
  expect(change).toMatchObject({ ...expected, next_trigger: 'schedule', resume_at: null });
  expect(exhausts).toBe(false);
});

test.each(['schedule', 'manual'])(
  'a 410 response to a %s attempt ends the delivery and disables the endpoint',
  (trigger) => {
    const response = { responseStatus: 410, retryAfterMs: null };
    const result = afterFailedAttempt(delivery({ next_trigger: trigger, resume_at: later }), response, at, 0.5);
    expect(result).toMatchObject({ gone: true, change: { status: 'failed', failure_reason: 'endpoint_disabled' } });
  },
);

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
    expect(deliveryRetryMs(attempts, 0.5, null)).toBe(expected);
    expect(deliveryRetryMs(attempts, 0, null)).toBe(expected * 0.8);
    expect(deliveryRetryMs(attempts, 1, null)).toBe(expected * 1.2);
  });

  test.each([8, 9, 100])('no attempt follows after %i failed attempts', (attempts) => {
    expect(deliveryRetryMs(attempts, 0.5, null)).toBeNull();
    expect(deliveryRetryMs(attempts, 0.5, 60_000)).toBeNull();
  });

  test.each([
    [0, 5 * minute],
    [5 * minute, 5 * minute],
    [7 * minute, 7 * minute],
    [10 * minute, 10 * minute],
    [24 * hour, 10 * minute],
  ])('a Retry-After of %i ms changes a scheduled wait of 5 min to %i ms', (retryAfterMs, expected) => {
    for (const random of [0, 0.5, 1]) expect(deliveryRetryMs(2, random, retryAfterMs)).toBe(expected);
  });
});

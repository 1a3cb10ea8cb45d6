import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toEpochMs } from '../../../lib/clock.ts';
import type { ListedEntitlement } from '../entitlements/decision.ts';
import { periodsAt } from './period.ts';
import type { UsageTotal } from './queries.ts';
import { type TimedEvent, UsageBatch, type UsageBatchSubject } from './usage-batch.ts';

const at = '2026-11-20T12:00:00.000000Z';
const timezone = 'Europe/Berlin';
const calls: ListedEntitlement = { code: 'calls', type: 'metered', limit: 10, reset: 'day' };

function subjectOf(
  policy: readonly ListedEntitlement[],
  license: readonly ListedEntitlement[] = [],
  fields: Partial<UsageBatchSubject['license']> = {},
): UsageBatchSubject {
  const made = '2026-01-01T00:00:00.000000Z';
  const dates = { status: 'active', created_at: made, starts_at: made, expires_at: null } as const;
  return {
    license: { ...dates, ...fields, entitlements_json: JSON.stringify(license) },
    policy: { expiry_strategy: 'deny', grace_days: 0, entitlements_json: JSON.stringify(policy) },
    timezone,
    at,
  };
}

function eventOf(quantity: number, fields: Partial<TimedEvent> = {}): TimedEvent {
  const occurredAt = fields.occurredAt ?? at;
  const periods = periodsAt(toEpochMs(occurredAt), timezone);
  return { entitlement: 'calls', quantity, idempotencyKey: null, ...fields, occurredAt, periods };
}

const reasons = (batch: UsageBatch, ...events: TimedEvent[]) =>
  events.map((event) => {
    const { status, reason } = batch.take(event);
    return reason ?? status;
  });

test.each<[string, UsageBatchSubject, Partial<TimedEvent>, string]>([
  [
    'an event exactly 35 days old is accepted',
    subjectOf([calls]),
    { occurredAt: '2026-10-16T12:00:00.000000Z' },
    'accepted',
  ],
  [
    'an event older than 35 days is refused',
    subjectOf([calls]),
    { occurredAt: '2026-10-16T11:59:59.999999Z' },
    'USAGE.OUT_OF_WINDOW',
  ],
  [
    'an event exactly 5 minutes ahead is accepted',
    subjectOf([calls]),
    { occurredAt: '2026-11-20T12:05:00.000000Z' },
    'accepted',
  ],
  [
    'an event more than 5 minutes ahead is refused',
    subjectOf([calls]),
    { occurredAt: '2026-11-20T12:05:00.000001Z' },
    'USAGE.OUT_OF_WINDOW',
  ],
  ['an event with an unknown code is refused', subjectOf([calls]), { entitlement: 'other' }, 'ENTITLEMENT.NOT_GRANTED'],
  [
    'an event for a withheld entitlement is refused',
    subjectOf([calls], [{ ...calls, value: false }]),
    {},
    'ENTITLEMENT.NOT_GRANTED',
  ],
  [
    'an event for an expired entitlement is refused',
    subjectOf([], [{ ...calls, expires_at: at }]),
    {},
    'ENTITLEMENT.EXPIRED',
  ],
  [
    'an event before the entitlement expired is accepted afterwards',
    subjectOf([], [{ ...calls, expires_at: at }]),
    { occurredAt: '2026-11-20T11:59:59.999999Z' },
    'accepted',
  ],
  [
    'an event for an entitlement that is not metered is refused',
    subjectOf([{ code: 'calls', type: 'boolean' }]),
    {},
    'ENTITLEMENT.NOT_METERED',
  ],
  ['an event of a revoked license is refused', subjectOf([calls], [], { status: 'revoked' }), {}, 'LICENSE.REVOKED'],
  [
    'an event before the license was suspended is refused afterwards',
    subjectOf([calls], [], { status: 'suspended' }),
    { occurredAt: '2026-11-19T12:00:00.000000Z' },
    'LICENSE.SUSPENDED',
  ],
  ['an event of an expired license is refused', subjectOf([calls], [], { expires_at: at }), {}, 'LICENSE.EXPIRED'],
  [
    'an event before the license expired is accepted afterwards',
    subjectOf([calls], [], { expires_at: at }),
    { occurredAt: '2026-11-20T11:59:59.999999Z' },
    'accepted',
  ],
  [
    'an event before the license started is refused',
    subjectOf([calls], [], { starts_at: at }),
    { occurredAt: '2026-11-20T11:59:59.999999Z' },
    'LICENSE.NOT_STARTED',
  ],
])('%s', (_name, subject, fields, expected) => {
  expect(reasons(new UsageBatch(subject), eventOf(1, fields))).toEqual([expected]);
});

describe('limits', () => {
  test('a limit refuses a whole event, and counts a later event that still fits', () => {
    const batch = new UsageBatch(subjectOf([calls]));
    expect(reasons(batch, eventOf(8), eventOf(3), eventOf(2), eventOf(1))).toEqual([
      'accepted',
      'ENTITLEMENT.LIMIT_REACHED',
      'accepted',
      'ENTITLEMENT.LIMIT_REACHED',
    ]);
    expect(batch.counters()).toEqual([
      { code: 'calls', usage: 10, limit: 10, remaining: 0, resets_at: '2026-11-20T23:00:00.000000Z' },
    ]);
  });

  test('a limit applies to the period in which the event occurred', () => {
    const yesterday = { occurredAt: '2026-11-19T22:59:59.000000Z' };
    const batch = new UsageBatch(subjectOf([calls]));
    const events = [eventOf(10), eventOf(10, yesterday), eventOf(1, yesterday)];
    expect(reasons(batch, ...events)).toEqual(['accepted', 'accepted', 'ENTITLEMENT.LIMIT_REACHED']);
  });

  test('a limit with overage accepts every event', () => {
    const batch = new UsageBatch(subjectOf([{ ...calls, overage: 'allow' }]));
    expect(reasons(batch, eventOf(8), eventOf(30))).toEqual(['accepted', 'accepted']);
    expect(batch.counters()).toMatchObject([{ usage: 38, remaining: 0 }]);
  });

  test('a limit whose reset interval was changed includes the earlier usage of the new period', () => {
    const override = { ...calls, limit: 12, reset: 'month', expires_at: at } as const;
    const subject = subjectOf([calls], [override]);
    const earlier = { occurredAt: '2026-11-20T11:00:00.000000Z' };
    const batch = new UsageBatch(subject);
    expect(batch.needs([eventOf(1), eventOf(1, earlier)])).toEqual({
      codes: ['calls'],
      intervals: ['day', 'month', 'none'],
      periods: ['2026-11-20', '2026-11-01', '1970-01-01'],
    });
    expect(reasons(batch, eventOf(9), eventOf(3, earlier), eventOf(1))).toEqual([
      'accepted',
      'accepted',
      'ENTITLEMENT.LIMIT_REACHED',
    ]);
  });

  test.each<[string, Partial<ListedEntitlement>, number, number[], number]>([
    ['an event that reaches the limit reports it', {}, 0, [10], 1],
    ['a refused event reports the limit once', {}, 9, [2, 2], 1],
    ['an event below the limit reports nothing', {}, 0, [9], 0],
    ['events that exceed a limit with overage report it once', { overage: 'allow' }, 0, [4, 8, 8], 1],
    ['events after a limit with overage was exceeded report nothing', { overage: 'allow' }, 11, [4], 0],
    ['the first event at a limit of 0 with overage reports it', { limit: 0, overage: 'allow' }, 0, [4], 1],
    ['events without a limit report nothing', { limit: null }, 0, [99], 0],
  ])('%s', (_name, fields, before, quantities, reported) => {
    const batch = new UsageBatch(subjectOf([{ ...calls, ...fields }]));
    const total = { entitlement_code: 'calls', interval: 'day', period: '2026-11-20', quantity: before } as const;
    batch.load(before === 0 ? [] : [total], new Set());
    for (const quantity of quantities) batch.take(eventOf(quantity));
    expect([...batch.reached()]).toHaveLength(reported);
  });
});

test('an event whose total would exceed the safe integer range is refused', () => {
  const batch = new UsageBatch(subjectOf([{ code: 'calls', type: 'metered' }]));
  const quantity = Number.MAX_SAFE_INTEGER - 1;
  batch.load([{ entitlement_code: 'calls', interval: 'none', period: '1970-01-01', quantity }], new Set());
  expect(reasons(batch, eventOf(2), eventOf(1), eventOf(1))).toEqual([
    'USAGE.TOTAL_TOO_LARGE',
    'accepted',
    'USAGE.TOTAL_TOO_LARGE',
  ]);
});

test('an idempotency key is counted once, within a report and across reports; a refused event can be repeated', () => {
  const batch = new UsageBatch(subjectOf([calls]));
  batch.load([], new Set(['known']));
  const keyed = (quantity: number, idempotencyKey: string) => eventOf(quantity, { idempotencyKey });
  const events = [keyed(1, 'known'), keyed(11, 'new'), keyed(1, 'new'), keyed(1, 'new')];
  expect(reasons(batch, ...events)).toEqual(['duplicate', 'ENTITLEMENT.LIMIT_REACHED', 'accepted', 'duplicate']);
});

test('for any events, the additions of each interval sum up the accepted events, and no day exceeds its limit', () => {
  const moments = fc.integer({ min: toEpochMs('2026-10-17T00:00:00Z'), max: toEpochMs(at) });
  const events = fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 6 }),
      entitlement: fc.constantFrom('calls', 'pages'),
      idempotencyKey: fc.option(fc.constantFrom('a', 'b', 'c')),
      occurredAt: moments.map((epochMs) => new Date(epochMs).toISOString().replace('Z', '000Z')),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(events, (fields) => {
      const batch = new UsageBatch(subjectOf([calls, { code: 'pages', type: 'metered' }]));
      const accepted = fields
        .map(({ quantity, ...rest }) => eventOf(quantity, rest))
        .filter((event) => batch.take(event).status === 'accepted');
      const additions = batch.additions();
      expect(sums(additions)).toEqual(sums(accepted.flatMap(rowsOf)));
      for (const { entitlement_code, interval, quantity } of additions) {
        if (entitlement_code === 'calls' && interval === 'day') expect(quantity).toBeLessThanOrEqual(10);
      }
    }),
  );
});

function rowsOf({ entitlement, quantity, periods }: TimedEvent): UsageTotal[] {
  return Object.entries(periods).map(([interval, period]) => ({
    interval: interval as UsageTotal['interval'],
    period,
    entitlement_code: entitlement,
    quantity,
  }));
}

function sums(rows: readonly UsageTotal[]): Record<string, number> {
  const byName: Record<string, number> = {};
  for (const { interval, period, entitlement_code, quantity } of rows) {
    const name = `${interval} ${period} ${entitlement_code}`;
    byName[name] = (byName[name] ?? 0) + quantity;
  }
  return byName;
}

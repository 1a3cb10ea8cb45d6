import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toEpochMs } from '../../../lib/clock.ts';
import type { ListedEntitlement } from '../entitlements/check.ts';
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
  ['the oldest moment', subjectOf([calls]), { occurredAt: '2026-10-16T12:00:00.000000Z' }, 'accepted'],
  ['before it', subjectOf([calls]), { occurredAt: '2026-10-16T11:59:59.999999Z' }, 'USAGE.OUT_OF_WINDOW'],
  ['the latest moment', subjectOf([calls]), { occurredAt: '2026-11-20T12:05:00.000000Z' }, 'accepted'],
  ['after it', subjectOf([calls]), { occurredAt: '2026-11-20T12:05:00.000001Z' }, 'USAGE.OUT_OF_WINDOW'],
  ['an unknown code', subjectOf([calls]), { entitlement: 'other' }, 'ENTITLEMENT.NOT_GRANTED'],
  ['one that is withheld', subjectOf([calls], [{ ...calls, value: false }]), {}, 'ENTITLEMENT.NOT_GRANTED'],
  ['one that expired', subjectOf([], [{ ...calls, expires_at: at }]), {}, 'ENTITLEMENT.EXPIRED'],
  [
    'one that expired after the use',
    subjectOf([], [{ ...calls, expires_at: at }]),
    { occurredAt: '2026-11-20T11:59:59.999999Z' },
    'accepted',
  ],
  ['one that is not counted', subjectOf([{ code: 'calls', type: 'boolean' }]), {}, 'ENTITLEMENT.NOT_METERED'],
  ['a revoked license', subjectOf([calls], [], { status: 'revoked' }), {}, 'LICENSE.REVOKED'],
  [
    'a license that was suspended after the use',
    subjectOf([calls], [], { status: 'suspended' }),
    { occurredAt: '2026-11-19T12:00:00.000000Z' },
    'LICENSE.SUSPENDED',
  ],
  ['an expired license', subjectOf([calls], [], { expires_at: at }), {}, 'LICENSE.EXPIRED'],
  [
    'a license that expired after the use',
    subjectOf([calls], [], { expires_at: at }),
    { occurredAt: '2026-11-20T11:59:59.999999Z' },
    'accepted',
  ],
  [
    'a use before the license started',
    subjectOf([calls], [], { starts_at: at }),
    { occurredAt: '2026-11-20T11:59:59.999999Z' },
    'LICENSE.NOT_STARTED',
  ],
])('%s', (_name, subject, fields, expected) => {
  expect(reasons(new UsageBatch(subject), eventOf(1, fields))).toEqual([expected]);
});

describe('a limit', () => {
  test('refuses an event whole, and what still fits afterwards is counted', () => {
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

  test('holds in the period of the event', () => {
    const yesterday = { occurredAt: '2026-11-19T22:59:59.000000Z' };
    const batch = new UsageBatch(subjectOf([calls]));
    const events = [eventOf(10), eventOf(10, yesterday), eventOf(1, yesterday)];
    expect(reasons(batch, ...events)).toEqual(['accepted', 'accepted', 'ENTITLEMENT.LIMIT_REACHED']);
  });

  test('with overage lets everything in', () => {
    const batch = new UsageBatch(subjectOf([{ ...calls, overage: 'allow' }]));
    expect(reasons(batch, eventOf(8), eventOf(30))).toEqual(['accepted', 'accepted']);
    expect(batch.counters()).toMatchObject([{ usage: 38, remaining: 0 }]);
  });

  test('that was changed with its reset counts what was counted before under the other', () => {
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
    ['an event that fills it', {}, 0, [10], 1],
    ['an event that is refused', {}, 9, [2, 2], 1],
    ['what stays below', {}, 0, [9], 0],
    ['an event beyond it, with overage', { overage: 'allow' }, 0, [4, 8, 8], 1],
    ['further events beyond it, with overage', { overage: 'allow' }, 11, [4], 0],
    ['the first event at a limit of nothing, with overage', { limit: 0, overage: 'allow' }, 0, [4], 1],
    ['usage without a limit', { limit: null }, 0, [99], 0],
  ])('is told as reached after %s', (_name, fields, before, quantities, told) => {
    const batch = new UsageBatch(subjectOf([{ ...calls, ...fields }]));
    const total = { entitlement_code: 'calls', interval: 'day', period: '2026-11-20', quantity: before } as const;
    batch.load(before === 0 ? [] : [total], new Set());
    for (const quantity of quantities) batch.take(eventOf(quantity));
    expect([...batch.reached()]).toHaveLength(told);
  });
});

test('a sum beyond what a number holds is refused', () => {
  const batch = new UsageBatch(subjectOf([{ code: 'calls', type: 'metered' }]));
  const quantity = Number.MAX_SAFE_INTEGER - 1;
  batch.load([{ entitlement_code: 'calls', interval: 'none', period: '1970-01-01', quantity }], new Set());
  expect(reasons(batch, eventOf(2), eventOf(1), eventOf(1))).toEqual([
    'USAGE.TOTAL_TOO_LARGE',
    'accepted',
    'USAGE.TOTAL_TOO_LARGE',
  ]);
});

test('a key counts once, in the report and before it; what was refused may come again', () => {
  const batch = new UsageBatch(subjectOf([calls]));
  batch.load([], new Set(['known']));
  const keyed = (quantity: number, idempotencyKey: string) => eventOf(quantity, { idempotencyKey });
  const events = [keyed(1, 'known'), keyed(11, 'new'), keyed(1, 'new'), keyed(1, 'new')];
  expect(reasons(batch, ...events)).toEqual(['duplicate', 'ENTITLEMENT.LIMIT_REACHED', 'accepted', 'duplicate']);
});

test('for any events, each interval gets the sum of what was accepted, and no counter of a day passes its limit', () => {
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

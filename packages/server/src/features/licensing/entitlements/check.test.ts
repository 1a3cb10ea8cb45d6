import { describe, expect, test } from 'vitest';
import {
  type Counters,
  checkEntitlements,
  type ListedEntitlement,
  meteredEntries,
  noCounters,
  withhold,
} from './check.ts';

const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';
const seats: ListedEntitlement = { code: 'seats', type: 'value', value: 5 };
const calls: ListedEntitlement = { code: 'calls', type: 'metered', limit: 10, reset: 'month' };

test.each<[string, ListedEntitlement[], ListedEntitlement[], object]>([
  ['the policy grants it', [seats], [], { type: 'value', has_access: true, value: 5, source: 'policy', reason: null }],
  ['the license overrides it', [seats], [{ ...seats, value: 9 }], { value: 9, source: 'license' }],
  [
    'an override that still runs',
    [seats],
    [{ ...seats, value: 9, expires_at: future }],
    { value: 9, expires_at: future },
  ],
  ['what an override leaves out is the policy’s', [seats], [{ code: 'seats', type: 'value' }], { value: 5 }],
  ['null in an override clears', [seats], [{ ...seats, value: null }], { value: null, has_access: true }],
  [
    'an override gives what the policy withholds',
    [{ ...seats, value: false }],
    [{ code: 'seats', type: 'value' }],
    { value: null, has_access: true, source: 'license' },
  ],
  [
    'an expired override falls back',
    [seats],
    [{ ...seats, value: 9, expires_at: now }],
    { value: 5, source: 'policy' },
  ],
  [
    'an expired override alone',
    [],
    [{ ...seats, expires_at: now }],
    { type: 'value', has_access: false, source: 'license', reason: 'ENTITLEMENT.EXPIRED' },
  ],
  [
    'an override takes it away',
    [seats],
    [{ ...seats, value: false }],
    { has_access: false, reason: 'ENTITLEMENT.NOT_GRANTED', source: 'license' },
  ],
  [
    'an expired override over one that is withheld',
    [{ ...seats, value: false }],
    [{ ...seats, expires_at: now }],
    { reason: 'ENTITLEMENT.NOT_GRANTED', source: 'policy' },
  ],
  [
    'nobody names it',
    [{ ...seats, code: 'other' }],
    [],
    { type: null, has_access: false, source: null, reason: 'ENTITLEMENT.NOT_GRANTED' },
  ],
])('a requested entitlement: %s', (_name, policy, license, expected) => {
  const uncounted = { usage: null, remaining: null, overage: null, resets_at: null };
  expect(checkEntitlements({ policy, license }, ['seats'], now, noCounters)).toEqual([
    expect.objectContaining({ code: 'seats', ...uncounted, ...expected }),
  ]);
});

describe('a metered entitlement', () => {
  const used = (usage: number): Counters => new Map([['calls', { usage, resetsAt: future }]]);
  const check = (entry: ListedEntitlement, counters: Counters) =>
    checkEntitlements({ policy: [entry], license: [] }, ['calls'], now, counters)[0];

  test.each<[string, ListedEntitlement, number, object]>([
    ['below its limit', calls, 9, { has_access: true, usage: 9, remaining: 1, overage: 'deny', reason: null }],
    ['at its limit', calls, 10, { has_access: false, remaining: 0, reason: 'ENTITLEMENT.LIMIT_REACHED' }],
    ['over a lowered limit', calls, 12, { has_access: false, usage: 12, remaining: 0 }],
    ['with overage', { ...calls, overage: 'allow' }, 12, { has_access: true, usage: 12, remaining: 0, reason: null }],
    ['without a limit', { ...calls, limit: null }, 12, { has_access: true, usage: 12, limit: null, remaining: null }],
    ['with a limit of nothing', { ...calls, limit: 0 }, 0, { has_access: false, remaining: 0 }],
  ])('%s', (_name, entry, usage, expected) => {
    expect(check(entry, used(usage))).toMatchObject({ ...expected, type: 'metered', resets_at: future });
  });

  test.each<[string, Partial<ListedEntitlement>, object]>([
    ['a limit', { limit: 20 }, { limit: 20, overage: 'deny', has_access: true }],
    ['no limit', { limit: null }, { limit: null, remaining: null, has_access: true }],
    ['overage', { overage: 'allow' }, { limit: 10, overage: 'allow', has_access: true }],
  ])('of which a license overrides only %s keeps the rest of the policy', (_what, fields, expected) => {
    const license = [{ code: 'calls', type: 'metered' as const, ...fields }];
    const grants = { policy: [calls], license };
    expect(checkEntitlements(grants, ['calls'], now, used(12))[0]).toMatchObject({ ...expected, source: 'license' });
    expect(meteredEntries(grants, ['calls'], now)[0]).toMatchObject({ reset: 'month' });
  });

  test('that was never used has a usage of zero', () => {
    expect(check(calls, noCounters)).toMatchObject({ has_access: true, usage: 0, remaining: 10 });
  });

  test('that is withheld or expired tells no counter', () => {
    const silent = { usage: null, remaining: null, overage: null, resets_at: null };
    expect(check({ ...calls, value: false }, used(3))).toMatchObject({ ...silent, limit: 10 });
    const expired = { policy: [], license: [{ ...calls, expires_at: now }] };
    expect(checkEntitlements(expired, ['calls'], now, used(3))[0]).toMatchObject({ ...silent, type: 'metered' });
  });
});

describe('without codes', () => {
  const grants = {
    policy: [seats, { ...calls, code: 'export' }, calls],
    license: [
      { ...seats, value: 9 },
      { code: 'beta', type: 'boolean', expires_at: now } as const,
      { ...calls, code: 'export', value: false },
    ],
  };

  test('all that are granted are told once each, or all that are listed', () => {
    const counters: Counters = new Map([['calls', { usage: 10, resetsAt: future }]]);
    const granted = checkEntitlements(grants, 'granted', now, counters);
    expect(granted.map(({ code, has_access }) => [code, has_access])).toEqual([
      ['seats', true],
      ['calls', false],
    ]);
    const listed = checkEntitlements(grants, 'listed', now, counters);
    expect(listed.map(({ code, reason }) => [code, reason])).toEqual([
      ['seats', null],
      ['export', 'ENTITLEMENT.NOT_GRANTED'],
      ['calls', 'ENTITLEMENT.LIMIT_REACHED'],
      ['beta', 'ENTITLEMENT.EXPIRED'],
    ]);
  });

  test('only the counters of what is metered and granted are needed', () => {
    const codes = (question: Parameters<typeof meteredEntries>[1]) =>
      meteredEntries(grants, question, now).map((entry) => entry.code);
    expect(codes('granted')).toEqual(['calls']);
    expect(codes('listed')).toEqual(['calls']);
    expect(codes(['calls', 'seats', 'calls', 'export', 'unknown'])).toEqual(['calls']);
    expect(codes(['seats'])).toEqual([]);
    expect(meteredEntries({ policy: [seats], license: [] }, 'granted', now)).toEqual([]);
  });
});

test('the denial of the license goes before a limit, and after what was never granted', () => {
  const counters: Counters = new Map([['calls', { usage: 10, resetsAt: future }]]);
  const checks = checkEntitlements({ policy: [seats, calls], license: [] }, ['seats', 'calls', 'x'], now, counters);
  expect(withhold(checks, 'LICENSE.REVOKED').map((check) => [check.has_access, check.reason, check.usage])).toEqual([
    [false, 'LICENSE.REVOKED', null],
    [false, 'LICENSE.REVOKED', 10],
    [false, 'ENTITLEMENT.NOT_GRANTED', null],
  ]);
});

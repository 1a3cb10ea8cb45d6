import { describe, expect, test } from 'vitest';
import {
  type Counters,
  checkEntitlements,
  type ListedEntitlement,
  meteredEntries,
  noCounters,
  withhold,
} from './decision.ts';

const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';
const seats: ListedEntitlement = { code: 'seats', type: 'value', value: 5 };
const calls: ListedEntitlement = { code: 'calls', type: 'metered', limit: 10, reset: 'month' };

test.each<[string, ListedEntitlement[], ListedEntitlement[], object]>([
  [
    'an entitlement of the policy is granted',
    [seats],
    [],
    { type: 'value', has_access: true, value: 5, source: 'policy', reason: null },
  ],
  [
    'an override of the license takes precedence over the policy',
    [seats],
    [{ ...seats, value: 9 }],
    { value: 9, source: 'license' },
  ],
  [
    'an override applies until it expires',
    [seats],
    [{ ...seats, value: 9, expires_at: future }],
    { value: 9, expires_at: future },
  ],
  ['an override inherits missing fields from the policy', [seats], [{ code: 'seats', type: 'value' }], { value: 5 }],
  [
    'null in an override clears the value of the policy',
    [seats],
    [{ ...seats, value: null }],
    { value: null, has_access: true },
  ],
  [
    'an override without a value grants an entitlement that the policy withholds',
    [{ ...seats, value: false }],
    [{ code: 'seats', type: 'value' }],
    { value: null, has_access: true, source: 'license' },
  ],
  [
    'the grant of the policy applies after an override has expired',
    [seats],
    [{ ...seats, value: 9, expires_at: now }],
    { value: 5, source: 'policy' },
  ],
  [
    'an expired override without a grant of the policy gives no access',
    [],
    [{ ...seats, expires_at: now }],
    { type: 'value', has_access: false, source: 'license', reason: 'ENTITLEMENT.EXPIRED' },
  ],
  [
    'an override with the value false withholds the entitlement',
    [seats],
    [{ ...seats, value: false }],
    { has_access: false, reason: 'ENTITLEMENT.NOT_GRANTED', source: 'license' },
  ],
  [
    'the policy withholds an entitlement again after an override has expired',
    [{ ...seats, value: false }],
    [{ ...seats, expires_at: now }],
    { reason: 'ENTITLEMENT.NOT_GRANTED', source: 'policy' },
  ],
  [
    'an entitlement that neither policy nor license lists is not granted',
    [{ ...seats, code: 'other' }],
    [],
    { type: null, has_access: false, source: null, reason: 'ENTITLEMENT.NOT_GRANTED' },
  ],
])('%s', (_name, policy, license, expected) => {
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
    ['above a lowered limit', calls, 12, { has_access: false, usage: 12, remaining: 0 }],
    ['with overage', { ...calls, overage: 'allow' }, 12, { has_access: true, usage: 12, remaining: 0, reason: null }],
    ['without a limit', { ...calls, limit: null }, 12, { has_access: true, usage: 12, limit: null, remaining: null }],
    ['with a limit of 0', { ...calls, limit: 0 }, 0, { has_access: false, remaining: 0 }],
  ])('a metered entitlement reports its counter %s', (_name, entry, usage, expected) => {
    expect(check(entry, used(usage))).toMatchObject({ ...expected, type: 'metered', resets_at: future });
  });

  test.each<[string, Partial<ListedEntitlement>, object]>([
    ['a limit', { limit: 20 }, { limit: 20, overage: 'deny', has_access: true }],
    ['no limit', { limit: null }, { limit: null, remaining: null, has_access: true }],
    ['overage', { overage: 'allow' }, { limit: 10, overage: 'allow', has_access: true }],
  ])('a license that overrides only %s of a metered entitlement keeps the other fields', (_what, fields, expected) => {
    const license = [{ code: 'calls', type: 'metered' as const, ...fields }];
    const grants = { policy: [calls], license };
    expect(checkEntitlements(grants, ['calls'], now, used(12))[0]).toMatchObject({ ...expected, source: 'license' });
    expect(meteredEntries(grants, ['calls'], now)[0]).toMatchObject({ reset: 'month' });
  });

  test('a metered entitlement that was never used has a usage of 0', () => {
    expect(check(calls, noCounters)).toMatchObject({ has_access: true, usage: 0, remaining: 10 });
  });

  test('a metered entitlement that is withheld or expired reports no counter', () => {
    const uncounted = { usage: null, remaining: null, overage: null, resets_at: null };
    expect(check({ ...calls, value: false }, used(3))).toMatchObject({ ...uncounted, limit: 10 });
    const expired = { policy: [], license: [{ ...calls, expires_at: now }] };
    expect(checkEntitlements(expired, ['calls'], now, used(3))[0]).toMatchObject({ ...uncounted, type: 'metered' });
  });
});

describe('checks without codes', () => {
  const grants = {
    policy: [seats, { ...calls, code: 'export' }, calls],
    license: [
      { ...seats, value: 9 },
      { code: 'beta', type: 'boolean', expires_at: now } as const,
      { ...calls, code: 'export', value: false },
    ],
  };

  test('a check without codes returns every granted or every listed entitlement once', () => {
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

  test('a check needs only the counters of entitlements that are metered and granted', () => {
    const codes = (question: Parameters<typeof meteredEntries>[1]) =>
      meteredEntries(grants, question, now).map((entry) => entry.code);
    expect(codes('granted')).toEqual(['calls']);
    expect(codes('listed')).toEqual(['calls']);
    expect(codes(['calls', 'seats', 'calls', 'export', 'unknown'])).toEqual(['calls']);
    expect(codes(['seats'])).toEqual([]);
    expect(meteredEntries({ policy: [seats], license: [] }, 'granted', now)).toEqual([]);
  });
});

test('the denial of a license takes precedence over a limit, but not over an entitlement that is not granted', () => {
  const counters: Counters = new Map([['calls', { usage: 10, resetsAt: future }]]);
  const checks = checkEntitlements({ policy: [seats, calls], license: [] }, ['seats', 'calls', 'x'], now, counters);
  expect(withhold(checks, 'LICENSE.REVOKED').map((check) => [check.has_access, check.reason, check.usage])).toEqual([
    [false, 'LICENSE.REVOKED', null],
    [false, 'LICENSE.REVOKED', 10],
    [false, 'ENTITLEMENT.NOT_GRANTED', null],
  ]);
});

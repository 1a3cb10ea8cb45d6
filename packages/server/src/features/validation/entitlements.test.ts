import { expect, test } from 'vitest';
import { checkEntitlements, type Entitlement } from './entitlements.ts';

const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';
const seats: Entitlement = { code: 'seats', limit: 5 };

test.each<[string, Entitlement[], Entitlement[], object]>([
  ['the policy grants it', [seats], [], { has_access: true, limit: 5, source: 'policy', reason: null }],
  ['the license overrides it', [seats], [{ code: 'seats', limit: 9 }], { limit: 9, source: 'license' }],
  [
    'an override that still runs',
    [seats],
    [{ ...seats, limit: 9, expires_at: future }],
    { limit: 9, expires_at: future },
  ],
  [
    'an expired override falls back',
    [seats],
    [{ ...seats, limit: 9, expires_at: now }],
    { limit: 5, source: 'policy' },
  ],
  [
    'an expired override alone',
    [],
    [{ ...seats, expires_at: now }],
    { has_access: false, reason: 'ENTITLEMENT.EXPIRED' },
  ],
  [
    'an override takes it away',
    [seats],
    [{ code: 'seats', value: false }],
    { has_access: false, reason: 'ENTITLEMENT.NOT_GRANTED', source: 'license' },
  ],
  ['nobody grants it', [{ code: 'other' }], [], { has_access: false, source: null, reason: 'ENTITLEMENT.NOT_GRANTED' }],
])('a requested entitlement: %s', (_name, policy, license, expected) => {
  expect(checkEntitlements({ policy, license }, ['seats'], now)).toEqual([expect.objectContaining(expected)]);
});

test('without a request, all that are granted are listed, once each', () => {
  const grants = {
    policy: [seats, { code: 'export' }],
    license: [
      { code: 'seats', limit: 9 },
      { code: 'beta', expires_at: now },
      { code: 'export', value: false },
    ],
  };
  expect(checkEntitlements(grants, undefined, now).map((check) => check.code)).toEqual(['seats']);
});

import { describe, expect, test } from 'vitest';
import { applyTransition, deriveStatus, type StoredStatus, type Transition } from './license-status.ts';

const past = '2026-01-01T00:00:00.000000Z';
const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';

describe('derived status', () => {
  test.each([
    ['active', past, null, 'active'],
    ['active', past, future, 'active'],
    ['active', now, future, 'active'],
    ['active', future, null, 'pending'],
    ['active', past, now, 'expired'],
    ['active', past, past, 'expired'],
    ['suspended', future, null, 'suspended'],
    ['suspended', past, past, 'suspended'],
    ['revoked', past, past, 'revoked'],
  ] as const)(
    'a license stored as %s, starting %s and expiring %s, is %s',
    (status, starts_at, expires_at, expected) => {
      expect(deriveStatus({ status, starts_at, expires_at }, now)).toBe(expected);
    },
  );
});

describe('transitions', () => {
  test.each<[StoredStatus, Transition, StoredStatus | 'refused']>([
    ['active', 'suspend', 'suspended'],
    ['suspended', 'suspend', 'suspended'],
    ['revoked', 'suspend', 'refused'],
    ['active', 'reinstate', 'active'],
    ['suspended', 'reinstate', 'active'],
    ['revoked', 'reinstate', 'refused'],
    ['active', 'revoke', 'revoked'],
    ['suspended', 'revoke', 'revoked'],
    ['revoked', 'revoke', 'revoked'],
  ])('the transition of a license from %s by %s gives %s', (status, transition, expected) => {
    if (expected !== 'refused') expect(applyTransition(status, transition)).toBe(expected);
    else expect(() => applyTransition(status, transition)).toThrow(/Create a new license/);
  });
});

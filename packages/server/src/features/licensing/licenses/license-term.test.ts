import { describe, expect, test } from 'vitest';
import { latestTimestamp } from '../../../lib/duration.ts';
import { initialTerm, renewTerm, startTerm, type TermPolicy } from './license-term.ts';

const past = '2026-01-01T00:00:00.000000Z';
const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';

const policy: TermPolicy = {
  duration_days: 30,
  expiry_basis: 'creation',
  renewal_basis: 'from_expiry',
  maintenance_days: 10,
};
const none = { expires_at: null, maintenance_expires_at: null };

describe('the term of a license', () => {
  test('the term starts with starts_at on the basis creation', () => {
    expect(initialTerm(policy, now)).toEqual({
      expires_at: '2026-07-01T00:00:00.000000Z',
      maintenance_expires_at: '2026-06-11T00:00:00.000000Z',
    });
    expect(initialTerm({ ...policy, duration_days: null, maintenance_days: null }, now)).toEqual(none);
  });

  test.each(['first_validation', 'first_activation'] as const)(
    'the term of a license with the expiry basis %s starts with that event',
    (basis) => {
      const other = basis === 'first_validation' ? 'first_activation' : 'first_validation';
      const onBasis = { ...policy, expiry_basis: basis };
      expect(initialTerm(onBasis, now)).toEqual(none);
      expect(startTerm(onBasis, none, other, now)).toBeNull();
      expect(startTerm(onBasis, none, basis, now)).toEqual(initialTerm(policy, now));
      expect(startTerm({ ...onBasis, maintenance_days: null }, { ...none, expires_at: future }, basis, now)).toBeNull();
    },
  );

  test('a renewal extends the term from its end or from now, at most to the year 9999', () => {
    const term = { expires_at: past, maintenance_expires_at: null };
    expect(renewTerm(policy, term, now).expires_at).toBe('2026-01-31T00:00:00.000000Z');
    expect(renewTerm({ ...policy, renewal_basis: 'from_now' }, term, now).expires_at).toBe(
      '2026-07-01T00:00:00.000000Z',
    );
    expect(renewTerm(policy, { ...none, expires_at: latestTimestamp }, now).expires_at).toBe(latestTimestamp);
  });

  test('a term without an end, or of a policy without days, cannot be renewed', () => {
    expect(() => renewTerm(policy, none, now)).toThrow(/can extend no date/);
    const policyWithoutDays = { ...policy, duration_days: null };
    expect(() => renewTerm(policyWithoutDays, { ...none, expires_at: past }, now)).toThrow(/can extend no date/);
  });

  test('a renewal of a perpetual license extends its maintenance', () => {
    const perpetual = { ...policy, duration_days: null };
    expect(renewTerm(perpetual, { expires_at: null, maintenance_expires_at: past }, now)).toEqual({
      expires_at: null,
      maintenance_expires_at: '2026-01-11T00:00:00.000000Z',
    });
  });
});

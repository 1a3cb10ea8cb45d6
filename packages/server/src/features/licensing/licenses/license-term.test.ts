import { describe, expect, test } from 'vitest';
import { latestTimestamp } from '../../../lib/duration.ts';
import { initialTerm, renewTerm, startTerm, type TermPolicy } from './license-term.ts';

const past = '2026-01-01T00:00:00.000000Z';
const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';

const policy: TermPolicy = {
  duration_days: 30,
  duration_months: null,
  expiry_basis: 'creation',
  renewal_basis: 'from_expiry',
  maintenance_days: 10,
};
const none = { expires_at: null, maintenance_expires_at: null };

describe('the term of a license', () => {
  test('the term starts with starts_at on the basis creation', () => {
    expect(initialTerm(policy, now, 'UTC')).toEqual({
      expires_at: '2026-07-01T00:00:00.000000Z',
      maintenance_expires_at: '2026-06-11T00:00:00.000000Z',
    });
    expect(initialTerm({ ...policy, duration_days: null, maintenance_days: null }, now, 'UTC')).toEqual(none);
  });

  test.each(['first_validation', 'first_activation'] as const)(
    'the term of a license with the expiry basis %s starts with that event',
    (basis) => {
      const other = basis === 'first_validation' ? 'first_activation' : 'first_validation';
      const onBasis = { ...policy, expiry_basis: basis };
      expect(initialTerm(onBasis, now, 'UTC')).toEqual(none);
      expect(startTerm(onBasis, none, other, now, 'UTC')).toBeNull();
      expect(startTerm(onBasis, none, basis, now, 'UTC')).toEqual(initialTerm(policy, now, 'UTC'));
      expect(
        startTerm({ ...onBasis, maintenance_days: null }, { ...none, expires_at: future }, basis, now, 'UTC'),
      ).toBeNull();
    },
  );

  test('a renewal extends the term from its end or from now, at most to the year 9999', () => {
    const term = { expires_at: past, maintenance_expires_at: null };
    expect(renewTerm(policy, term, now, 'UTC').expires_at).toBe('2026-01-31T00:00:00.000000Z');
    expect(renewTerm({ ...policy, renewal_basis: 'from_now' }, term, now, 'UTC').expires_at).toBe(
      '2026-07-01T00:00:00.000000Z',
    );
    expect(renewTerm(policy, { ...none, expires_at: latestTimestamp }, now, 'UTC').expires_at).toBe(latestTimestamp);
  });

  test('a term without an end, or of a policy without days, cannot be renewed', () => {
    expect(() => renewTerm(policy, none, now, 'UTC')).toThrow(/no date that a renewal can extend/);
    const policyWithoutDays = { ...policy, duration_days: null };
    expect(() => renewTerm(policyWithoutDays, { ...none, expires_at: past }, now, 'UTC')).toThrow(
      /no date that a renewal can extend/,
    );
  });

  test('a renewal of a perpetual license extends its maintenance', () => {
    const perpetual = { ...policy, duration_days: null };
    expect(renewTerm(perpetual, { expires_at: null, maintenance_expires_at: past }, now, 'UTC')).toEqual({
      expires_at: null,
      maintenance_expires_at: '2026-01-11T00:00:00.000000Z',
    });
  });

  test('months are those of the calendar in the timezone of the tenant, from one renewal to the next', () => {
    const yearly = { ...policy, duration_days: null, duration_months: 12, maintenance_days: null };
    const bought = '2027-02-28T23:30:00.000000Z';
    // In Berlin, March 1 has begun.
    expect(initialTerm(yearly, bought, 'Europe/Berlin').expires_at).toBe('2028-02-29T23:30:00.000000Z');
    let term = { expires_at: '2027-11-23T08:00:00.000000Z', maintenance_expires_at: null };
    for (let year = 2028; year <= 2040; year += 1) {
      term = { ...term, ...renewTerm(yearly, term, now, 'UTC') } as typeof term;
      expect(term.expires_at).toBe(`${year}-11-23T08:00:00.000000Z`);
    }
  });

  test('a renewal by a duration of its own moves both dates that are set by it', () => {
    const term = { expires_at: '2027-01-31T00:00:00.000000Z', maintenance_expires_at: '2027-01-15T00:00:00.000000Z' };
    expect(renewTerm(policy, term, now, 'UTC', { days: null, months: 1 })).toEqual({
      expires_at: '2027-02-28T00:00:00.000000Z',
      maintenance_expires_at: '2027-02-15T00:00:00.000000Z',
    });
    const perpetual = { ...policy, duration_days: null, maintenance_days: null };
    expect(
      renewTerm(perpetual, { ...term, maintenance_expires_at: null }, now, 'UTC', { days: 7, months: null }),
    ).toEqual({
      expires_at: '2027-02-07T00:00:00.000000Z',
      maintenance_expires_at: null,
    });
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latestTimestamp } from '../../../lib/duration.ts';
import { initialTerm, renewTerm, startTerm, type TermPolicy } from './license-term.ts';

const past = '2026-01-01T00:00:00.000000Z';
const now = '2026-06-01T00:00:00.000000Z';
const future = '2026-12-01T00:00:00.000000Z';

const policy: TermPolicy = {
  duration_days: 30,
  duration_months: null,
  ends_with_month: 0,
  expiry_basis: 'creation',
  renewal_basis: 'from_expiry',
  maintenance_days: 10,
};
const none = { expires_at: null, maintenance_expires_at: null };
const begun = { ...none, starts_at: past, term_anchor: null };

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
      expect(startTerm(onBasis, none, basis, now, 'UTC')).toEqual({
        ...initialTerm(policy, now, 'UTC'),
        term_anchor: now,
      });
      expect(
        startTerm({ ...onBasis, maintenance_days: null }, { ...none, expires_at: future }, basis, now, 'UTC'),
      ).toBeNull();
    },
  );

  test('a renewal extends the term from its end, from now, or from the later of the two, at most to the year 9999', () => {
    const ended = { ...begun, expires_at: past };
    const running = { ...begun, expires_at: future };
    const renewed = (renewal_basis: TermPolicy['renewal_basis'], term: typeof ended) =>
      renewTerm({ ...policy, renewal_basis }, term, now, 'UTC').expires_at;
    const fromNow = '2026-07-01T00:00:00.000000Z';
    const fromEnd = '2026-12-31T00:00:00.000000Z';
    expect([renewed('from_expiry', running), renewed('from_now', ended)]).toEqual([fromEnd, fromNow]);
    expect([renewed('from_now', running), renewed('from_expiry_or_now', ended)]).toEqual([fromNow, fromNow]);
    expect(renewed('from_expiry_or_now', running)).toBe(fromEnd);
    expect(renewed('from_expiry', { ...begun, expires_at: latestTimestamp })).toBe(latestTimestamp);
  });

  test('a renewal after which the license would still be expired is refused', () => {
    const ended = { ...begun, expires_at: past };
    expect(() => renewTerm(policy, ended, now, 'UTC')).toThrow(
      expect.objectContaining({ code: 'LICENSE.RENEWAL_IN_PAST' }),
    );
    // The maintenance alone may end in the past: the releases before it are covered.
    const maintained = { ...begun, maintenance_expires_at: past };
    expect(renewTerm(policy, maintained, now, 'UTC').maintenance_expires_at).toBe('2026-01-11T00:00:00.000000Z');
    expect(renewTerm(policy, ended, now, 'UTC', { days: 400, months: null }).expires_at).toBe(
      '2027-02-05T00:00:00.000000Z',
    );
  });

  test.each([
    ['2027-01-31T10:00:00.000000Z', 1, ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
    ['2028-01-30T10:00:00.000000Z', 1, ['2028-02-29', '2028-03-30', '2028-04-30', '2028-05-30']],
    ['2028-02-29T10:00:00.000000Z', 12, ['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
    ['2027-08-31T10:00:00.000000Z', 3, ['2027-11-30', '2028-02-29', '2028-05-31', '2028-08-31']],
  ])('a term of months that began on %s keeps its day, %i months at a time', (starts_at, duration_months, days) => {
    const monthly = { ...policy, duration_days: null, duration_months, maintenance_days: null };
    let term: Parameters<typeof renewTerm>[1] = {
      ...begun,
      starts_at,
      ...initialTerm(monthly, starts_at, 'UTC'),
    };
    for (const day of days) {
      expect(term.expires_at).toBe(`${day}T10:00:00.000000Z`);
      term = { ...term, ...renewTerm(monthly, term, starts_at, 'UTC') };
    }
  });

  test('single renewals give the same end as one renewal of all their months, in every timezone', () => {
    const moments = fc
      .date({ min: new Date('2024-01-01T00:00:00Z'), max: new Date('2030-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString().replace('Z', '000Z'));
    const zones = fc.constantFrom(
      'UTC',
      'America/Los_Angeles',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
    );
    const monthsEach = fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 2, maxLength: 12 });
    const property = fc.property(moments, zones, monthsEach, (starts_at, zone, renewals) => {
      const monthly = { ...policy, duration_days: null, duration_months: 1, maintenance_days: null };
      const first = { ...begun, starts_at, ...initialTerm(monthly, starts_at, zone) };
      const by = (term: Parameters<typeof renewTerm>[1], months: number) => ({
        ...term,
        ...renewTerm(monthly, term, starts_at, zone, { days: null, months }),
      });
      const total = renewals.reduce((sum, months) => sum + months, 0);
      expect(renewals.reduce(by, first).expires_at).toBe(by(first, total).expires_at);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('a date that the vendor set is its own beginning', () => {
    const monthly = { ...policy, duration_days: null, duration_months: 1, maintenance_days: null };
    const set = { ...begun, starts_at: '2027-01-31T10:00:00.000000Z', expires_at: '2027-02-28T12:00:00.000000Z' };
    expect(renewTerm(monthly, set, now, 'UTC').expires_at).toBe('2027-03-28T12:00:00.000000Z');
  });

  test('a term without an end, or of a policy without days, cannot be renewed', () => {
    expect(() => renewTerm(policy, begun, now, 'UTC')).toThrow(/no date that a renewal can extend/);
    const policyWithoutDays = { ...policy, duration_days: null };
    expect(() => renewTerm(policyWithoutDays, { ...begun, expires_at: past }, now, 'UTC')).toThrow(
      /no date that a renewal can extend/,
    );
  });

  test('a renewal of a perpetual license extends its maintenance', () => {
    const perpetual = { ...policy, duration_days: null };
    expect(renewTerm(perpetual, { ...begun, maintenance_expires_at: past }, now, 'UTC')).toEqual({
      term_anchor: null,
      expires_at: null,
      maintenance_expires_at: '2026-01-11T00:00:00.000000Z',
    });
  });

  test('months are those of the calendar in the timezone of the tenant, from one renewal to the next', () => {
    const yearly = { ...policy, duration_days: null, duration_months: 12, maintenance_days: null };
    const bought = '2027-02-28T23:30:00.000000Z';
    // In Berlin, March 1 has begun.
    expect(initialTerm(yearly, bought, 'Europe/Berlin').expires_at).toBe('2028-02-29T23:30:00.000000Z');
    let term = { ...begun, expires_at: '2027-11-23T08:00:00.000000Z' };
    for (let year = 2028; year <= 2040; year += 1) {
      term = { ...term, ...renewTerm(yearly, term, now, 'UTC') } as typeof term;
      expect(term.expires_at).toBe(`${year}-11-23T08:00:00.000000Z`);
    }
  });

  test('a renewal by a duration of its own moves both dates that are set by it', () => {
    const ends = { expires_at: '2027-01-31T00:00:00.000000Z', maintenance_expires_at: '2027-01-15T00:00:00.000000Z' };
    const term = { ...begun, ...ends };
    expect(renewTerm(policy, term, now, 'UTC', { days: null, months: 1 })).toEqual({
      term_anchor: null,
      expires_at: '2027-02-28T00:00:00.000000Z',
      maintenance_expires_at: '2027-02-15T00:00:00.000000Z',
    });
    const perpetual = { ...policy, duration_days: null, maintenance_days: null };
    expect(
      renewTerm(perpetual, { ...term, maintenance_expires_at: null }, now, 'UTC', { days: 7, months: null }),
    ).toEqual({
      term_anchor: null,
      expires_at: '2027-02-07T00:00:00.000000Z',
      maintenance_expires_at: null,
    });
  });
});

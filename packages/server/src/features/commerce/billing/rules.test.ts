import { describe, expect, test } from 'vitest';
import { changeTimeOf } from './rules.ts';

const price = (planCode: string, interval: 'month' | 'year', amount: number) => {
  return { planCode, planName: planCode, interval, currency: 'usd', amount };
};

describe('the time of a plan change', () => {
  test.each([
    { to: price('team', 'month', 4900), comparable: 4900, when: 'now' },
    { to: price('basic', 'month', 900), comparable: 900, when: 'period_end' },
    { to: price('pro', 'year', 29000), comparable: 29000, when: 'now' },
    // The monthly prices decide, although a year of the target costs more than a month of the current plan.
    { to: price('team', 'year', 30000), comparable: 4900, when: 'now' },
    { to: price('basic', 'year', 99000), comparable: 900, when: 'period_end' },
    { to: price('only-yearly', 'year', 50000), comparable: null, when: 'now' },
    { to: price('only-yearly', 'year', 20000), comparable: null, when: 'period_end' },
  ])(
    'a change from a monthly plan to $to.planCode by the $to.interval takes effect: $when',
    ({ to, comparable, when }) => {
      const current = { plan_code: 'pro', interval: 'month', amount: 2900 } as const;
      expect(changeTimeOf(current, to, comparable)).toBe(when);
    },
  );

  test('a change from a year to a month of one plan takes effect when the year ends', () => {
    const current = { plan_code: 'pro', interval: 'year', amount: 29000 } as const;
    expect(changeTimeOf(current, price('pro', 'month', 2900), null)).toBe('period_end');
  });
});

import { describe, expect, test } from 'vitest';
import { changeTimeOf } from './plan-change.ts';

const price = (planCode: string, interval: 'month' | 'year', amount: number) => {
  return { planCode, planName: planCode, interval, currency: 'usd', amount };
};

describe('a change of plan takes effect', () => {
  test.each([
    { to: price('team', 'month', 4900), comparable: 4900, when: 'now' },
    { to: price('basic', 'month', 900), comparable: 900, when: 'period_end' },
    { to: price('pro', 'year', 29000), comparable: 29000, when: 'now' },
    // Paid by the month it costs more than a smaller plan by the year: it is the larger plan all the same.
    { to: price('team', 'year', 30000), comparable: 4900, when: 'now' },
    { to: price('basic', 'year', 99000), comparable: 900, when: 'period_end' },
    { to: price('only-yearly', 'year', 50000), comparable: null, when: 'now' },
    { to: price('only-yearly', 'year', 20000), comparable: null, when: 'period_end' },
  ])('to $to.planCode by the $to.interval: $when', ({ to, comparable, when }) => {
    const current = { plan_code: 'pro', interval: 'month', amount: 2900 } as const;
    expect(changeTimeOf(current, to, comparable)).toBe(when);
  });

  test('back from a year to a month when the year is over', () => {
    const current = { plan_code: 'pro', interval: 'year', amount: 29000 } as const;
    expect(changeTimeOf(current, price('pro', 'month', 2900), null)).toBe('period_end');
  });
});

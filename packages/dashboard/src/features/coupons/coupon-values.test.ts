import { expect, test } from 'vitest';
import { couponText } from './coupon-terms.tsx';
import { couponInput, couponRules, newCoupon } from './coupon-values.ts';

test('a percentage is sent without an amount, and an amount in minor units with its currency', () => {
  expect(couponInput({ ...newCoupon, code: 'A20', percent_off: '12,5 %' })).toEqual({
    code: 'A20',
    percent_off: 12.5,
    duration: 'once',
    expires_at: null,
    max_redemptions: null,
  });
  const amount = { kind: 'amount', percent_off: '20', amount_off: '1.005', currency: 'kwd' } as const;
  expect(couponInput({ ...newCoupon, ...amount, duration: 'repeating', duration_months: 3 })).toMatchObject({
    amount_off: 1005,
    currency: 'kwd',
    duration_months: 3,
  });
  expect(couponInput({ ...newCoupon, ...amount })).not.toHaveProperty('percent_off');
});

test.each(['0', '100.01', '12.345', '-5', 'x', ''])('the percentage "%s" is refused at its field', (text) => {
  expect(couponRules.percent_off(text, newCoupon)).toMatch(/^Enter a percentage/);
  expect(couponRules.percent_off(text, { ...newCoupon, kind: 'amount' })).toBeNull();
});

test('a coupon reads as a sentence', () => {
  const half = { percent_off: 50, amount_off: null, currency: null };
  expect(couponText({ ...half, duration: 'once', duration_months: null })).toBe('50% off the next invoice');
  expect(couponText({ ...half, duration: 'repeating', duration_months: 1 })).toBe('50% off the invoices of 1 month');
});

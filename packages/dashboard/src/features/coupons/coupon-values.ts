import type { CreateCoupon } from '../../api/commerce.ts';
import { expiryOf } from '../../components/ExpiryInput.tsx';
import { parseMoney, problemOfMoney } from '../../lib/money.ts';

/** A coupon as its form holds it. */
export interface CouponValues extends Record<string, unknown> {
  readonly code: string;
  readonly name: string;
  readonly kind: 'percent' | 'amount';
  readonly percent_off: string;
  readonly amount_off: string;
  readonly currency: string;
  readonly duration: 'once' | 'repeating' | 'forever';
  readonly duration_months: number | string;
  readonly expires_at: string;
  readonly max_redemptions: number | string;
}

/** The values of a new coupon. */
export const newCoupon: CouponValues = {
  code: '',
  name: '',
  kind: 'percent',
  percent_off: '',
  amount_off: '',
  currency: 'usd',
  duration: 'once',
  duration_months: '',
  expires_at: '',
  max_redemptions: '',
};

/** Returns a percentage above 0 and up to 100 with at most two decimal places; undefined for another text. */
function parsePercent(text: string): number | undefined {
  const written = text.trim().replace(/\s*%$/, '').replace(',', '.');
  const percent = /^\d{1,3}(\.\d{1,2})?$/.test(written) ? Number(written) : 0;
  return percent > 0 && percent <= 100 ? percent : undefined;
}

/** The check of each field of a coupon. It returns an error message, or null for a valid value. */
export const couponRules = {
  code: (value: string) =>
    /^[A-Z0-9_-]{3,50}$/.test(value) ? null : 'Use 3 to 50 letters, digits, hyphens or underscores.',
  percent_off: (value: string, { kind }: CouponValues) =>
    kind === 'amount' || parsePercent(value) !== undefined ? null : 'Enter a percentage above 0 and up to 100.',
  amount_off: (value: string, { kind, currency }: CouponValues) =>
    kind === 'percent' ? null : problemOfMoney(value, currency),
  currency: (value: string, { kind }: CouponValues) =>
    kind === 'percent' || /^[a-z]{3}$/.test(value) ? null : 'Enter a currency code of three letters, such as eur.',
  duration_months: (value: number | string, { duration }: CouponValues) =>
    duration !== 'repeating' || value !== '' ? null : 'Enter the number of months.',
  expires_at: (value: string) =>
    value === '' || Date.parse(value) > Date.now() ? null : 'Enter a time in the future.',
};

/** Returns what the form sends. */
export function couponInput(values: CouponValues): CreateCoupon {
  const { code, name, kind, percent_off, amount_off, currency, duration, duration_months } = values;
  return {
    code,
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(kind === 'percent'
      ? { percent_off: parsePercent(percent_off) ?? null }
      : { amount_off: parseMoney(amount_off, currency) ?? null, currency }),
    duration,
    ...(duration === 'repeating' && { duration_months: Number(duration_months) }),
    expires_at: expiryOf(values.expires_at),
    max_redemptions: values.max_redemptions === '' ? null : Number(values.max_redemptions),
  };
}

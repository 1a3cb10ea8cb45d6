import { count, formatMoney, formatNumber } from '../../lib/text.ts';

/** What a coupon, or the discount that it became, takes off an invoice. */
export interface CouponValue {
  readonly percent_off: number | null;
  readonly amount_off: number | null;
  readonly currency: string | null;
}

/** How long a coupon applies. */
export interface CouponTerm {
  readonly duration: 'once' | 'repeating' | 'forever';
  readonly duration_months: number | null;
}

/** Returns what a coupon takes off: "12.5 % off", "$5.00 off". */
export function valueText({ percent_off, amount_off, currency }: CouponValue): string {
  if (amount_off !== null && currency !== null) return `${formatMoney(amount_off, currency)} off`;
  return `${formatNumber(percent_off ?? 0)} % off`;
}

/** Returns how long a coupon applies: "the next invoice", "3 months", "every invoice". */
export function durationText({ duration, duration_months }: CouponTerm): string {
  switch (duration) {
    case 'once':
      return 'the next invoice';
    case 'repeating':
      return `the invoices of ${count(duration_months ?? 0, 'month')}`;
    case 'forever':
      return 'every invoice';
  }
}

/** Returns a coupon in words: "20 % off every invoice". */
export function couponText(coupon: CouponValue & CouponTerm): string {
  return `${valueText(coupon)} ${durationText(coupon)}`;
}

import { Text } from '@mantine/core';
import type { Subscription } from '../../api/billing.ts';
import type { Coupon } from '../../api/commerce.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { count, formatMoney, formatNumber, formatRate } from '../../lib/text.ts';

/** What a coupon, or the discount that it became, takes off an invoice. */
interface CouponValue {
  readonly percent_off: number | null;
  readonly amount_off: number | null;
  readonly currency: string | null;
}

/** How long a coupon applies. */
interface CouponTerm {
  readonly duration: 'once' | 'repeating' | 'forever';
  readonly duration_months: number | null;
}

/** Returns what a coupon takes off: "12.5 % off", "$5.00 off". */
export function valueText({ percent_off, amount_off, currency }: CouponValue): string {
  if (amount_off !== null && currency !== null) return `${formatMoney(amount_off, currency)} off`;
  return `${formatRate(percent_off ?? 0)} off`;
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

interface DiscountTextProps {
  readonly discount: NonNullable<Subscription['discount']>;
  /** The currency of the subscription. */
  readonly currency: string;
}

/** What a discount takes off, until when, and the coupon that it comes from. */
export function DiscountText({ discount, currency }: DiscountTextProps) {
  const { coupon, percent_off, amount_off, duration, ends_at } = discount;
  return (
    <>
      {valueText({ percent_off, amount_off, currency })}
      {duration === 'once' && ' the next invoice'}
      {duration === 'forever' && ' every invoice'}
      {duration === 'repeating' && (
        <>
          {' '}
          until <TimeText value={ends_at} format="date" />
        </>
      )}{' '}
      <Text span c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        (coupon {coupon})
      </Text>
    </>
  );
}

/** Whether a coupon can be redeemed, and why not. */
export function CouponStatus({ coupon }: { readonly coupon: Coupon }) {
  const { archived, expires_at, max_redemptions, redemptions, synced_at } = coupon;
  if (archived) return <StatusBadge status="archived" />;
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return <StatusBadge status="expired" />;
  if (max_redemptions !== null && redemptions >= max_redemptions) {
    return <StatusBadge status="exhausted" label="Used up" />;
  }
  if (synced_at === null) return <StatusBadge status="pending" label="Being created" />;
  return <StatusBadge status="active" label="Redeemable" />;
}

/** Returns how often a coupon was redeemed, of how many times: "3 of 100". */
export function redemptionsText({ redemptions, max_redemptions }: Coupon): string {
  const used = formatNumber(redemptions);
  return max_redemptions === null ? used : `${used} of ${formatNumber(max_redemptions)}`;
}

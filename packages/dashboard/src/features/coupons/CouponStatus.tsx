import type { Coupon } from '../../api/coupons.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';

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
  const used = redemptions.toLocaleString();
  return max_redemptions === null ? used : `${used} of ${max_redemptions.toLocaleString()}`;
}

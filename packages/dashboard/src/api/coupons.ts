import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { commerceKey } from './commerce.ts';
import { platformApi } from './platform.ts';
import type { components, operations } from './schema.gen.ts';

export type Coupon = components['schemas']['Coupon'];
export type CreateCoupon = components['schemas']['CreateCoupon'];
type CouponFilters = NonNullable<operations['adminListCoupons']['parameters']['query']>;

const pathOf = (id: string) => ({ params: { path: { id } } });

/** Reads one page of the coupons, newest first. */
export function couponsQuery(query: CouponFilters) {
  return queryOptions({
    queryKey: [...commerceKey, 'coupons', query],
    queryFn: () => bodyOf(platformApi().GET('/api/v1/admin/catalog/coupons', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** Reads one coupon; the service refreshes how often it was redeemed. */
export function couponQuery(id: string) {
  return queryOptions({
    queryKey: [...commerceKey, 'coupon', id],
    queryFn: () => dataOf(platformApi().GET('/api/v1/admin/catalog/coupons/{id}', pathOf(id))),
  });
}

export const createCoupon = (body: CreateCoupon) =>
  dataOf(platformApi().POST('/api/v1/admin/catalog/coupons', { body }));

/** Ends the redemption of a coupon. Discounts that exist stay. */
export const archiveCoupon = (id: string) =>
  dataOf(platformApi().DELETE('/api/v1/admin/catalog/coupons/{id}', pathOf(id)));

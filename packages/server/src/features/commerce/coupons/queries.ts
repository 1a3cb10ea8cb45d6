import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { CouponsTable } from '../../../db/tables/platform/billing.ts';
import { paginate } from '../../../http/cursor.ts';
import { normalizedCode } from './coupon.ts';
import type { CouponsQuery } from './schemas.ts';

/** Returns one page of the coupons, with one row more than the page when there are more. */
export function listCoupons({ query }: PlatformDb, filters: CouponsQuery): Promise<CouponsTable[]> {
  let coupons = query.selectFrom('coupons').selectAll();
  if (filters.code !== undefined) coupons = coupons.where('code', '=', normalizedCode(filters.code));
  if (filters.archived !== undefined) {
    coupons = coupons.where('archived_at', filters.archived ? 'is not' : 'is', null);
  }
  return paginate(coupons, filters).execute();
}

/** Returns a coupon by its id or its code, which must be in upper case. */
export function findCoupon(
  { query }: PlatformDb,
  by: { readonly id: string } | { readonly code: string },
): Promise<CouponsTable | undefined> {
  const coupons = query.selectFrom('coupons').selectAll();
  return ('id' in by ? coupons.where('id', '=', by.id) : coupons.where('code', '=', by.code)).executeTakeFirst();
}

/** Deletes coupons. Returns their codes. */
export async function deleteCoupons(tx: PlatformTransaction, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.deleteFrom('coupons').where('id', 'in', ids).returning('code').execute();
  return rows.map(({ code }) => code);
}

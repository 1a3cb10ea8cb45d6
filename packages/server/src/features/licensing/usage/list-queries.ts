import { sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { UsageTotalsTable } from '../../../db/tables/tenant/usage.ts';
import { pageSize } from '../../../http/cursor.ts';
import type { BucketInterval } from './schemas.ts';

/** Where a range of periods begins or ends. */
export interface Bound {
  readonly period: string;
  readonly isIncluded: boolean;
}

/** Which totals a list shows. */
export interface UsageFilters {
  readonly interval: BucketInterval;
  readonly license_id?: string | undefined;
  readonly entitlement?: string | undefined;
  readonly from?: Bound | undefined;
  readonly to?: Bound | undefined;
  readonly limit?: number | undefined;
  /** The last row of the page before. */
  readonly after?: TotalPosition | undefined;
}

/** Where a total stands in a list of one interval. */
export type TotalPosition = readonly [period: string, licenseId: string, code: string];

/**
 * The newest totals of an interval, one row more than a page holds. Whichever of license and entitlement is given, an
 * index has them in this order: it begins with what is given and the interval, and goes on with the period and the
 * rest. What is given takes no part in the order, so that SQLite sees that the index is the one for it.
 */
export function selectTotals(db: TenantDb['query'], filters: UsageFilters) {
  const { license_id, entitlement, from, to, after } = filters;
  let query = db.selectFrom('usage_totals').selectAll().where('interval', '=', filters.interval);
  if (license_id !== undefined) query = query.where('license_id', '=', license_id);
  if (entitlement !== undefined) query = query.where('entitlement_code', '=', entitlement);
  if (from !== undefined) query = query.where('period', from.isIncluded ? '>=' : '>', from.period);
  const order = [
    { column: 'period', isGiven: false },
    { column: 'license_id', isGiven: license_id !== undefined },
    { column: 'entitlement_code', isGiven: entitlement !== undefined },
  ] as const;
  const columns = order.filter(({ isGiven }) => !isGiven).map(({ column }) => column);
  // Of two upper bounds only the lower one is asked for: with both, SQLite prefers another index.
  if (to !== undefined && (after === undefined || !isWithin(after[0], to))) {
    query = query.where('period', to.isIncluded ? '<=' : '<', to.period);
  } else if (after !== undefined) {
    const values = after.filter((_value, index) => order[index]?.isGiven === false);
    query = query.where(sql<boolean>`(${sql.join(columns.map((column) => sql.ref(column)))}) < (${sql.join(values)})`);
  }
  for (const column of columns) query = query.orderBy(column, 'desc');
  return query.limit(pageSize(filters) + 1);
}

function isWithin(period: string, to: Bound): boolean {
  return period < to.period || (period === to.period && to.isIncluded);
}

export function listTotals(db: TenantDb, filters: UsageFilters): Promise<UsageTotalsTable[]> {
  return selectTotals(db.query, filters).execute();
}

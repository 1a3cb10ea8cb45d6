import { sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { UsageTotalsTable } from '../../../db/tables/tenant/licenses.ts';
import { pageSize } from '../../../http/cursor.ts';
import type { BucketInterval } from './schemas.ts';

/** The lower or upper bound of a range of periods. */
export interface Bound {
  readonly period: string;
  readonly isIncluded: boolean;
}

/** The filters and the position of a list of totals. */
export interface UsageFilters {
  readonly interval: BucketInterval;
  readonly license_id?: string | undefined;
  readonly entitlement?: string | undefined;
  readonly from?: Bound | undefined;
  readonly to?: Bound | undefined;
  readonly limit?: number | undefined;
  /** The last row of the previous page. */
  readonly after?: TotalPosition | undefined;
}

/** The sort key of a total within a list of one interval. */
export type TotalPosition = readonly [period: string, licenseId: string, code: string];

/**
 * Selects the newest totals of an interval, one row more than a page holds. For every combination of the filters
 * license and entitlement there is an index that begins with the given columns and the interval and continues with the
 * period and the other columns. Given columns are left out of ORDER BY; otherwise SQLite does not use that index.
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
  // Apply only the lower of the two upper bounds (`to` and the cursor): with both, SQLite chooses another index.
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

/** Returns the rows of `selectTotals`. */
export function listTotals(db: TenantDb, filters: UsageFilters): Promise<UsageTotalsTable[]> {
  return selectTotals(db.query, filters).execute();
}

/** Returns the sum of each entitlement in one period, ordered by code. */
export async function sumTotals(
  db: TenantDb,
  {
    interval,
    period,
    license_id,
    entitlement,
  }: Pick<UsageFilters, 'interval' | 'license_id' | 'entitlement'> & {
    readonly period: string;
  },
): Promise<{ readonly code: string; readonly quantity: number }[]> {
  let totals = db.query.selectFrom('usage_totals').where('interval', '=', interval).where('period', '=', period);
  if (license_id !== undefined) totals = totals.where('license_id', '=', license_id);
  if (entitlement !== undefined) totals = totals.where('entitlement_code', '=', entitlement);
  const rows = await totals
    .select(({ fn }) => ['entitlement_code', fn.sum<number | string>('quantity').as('quantity')])
    .groupBy('entitlement_code')
    .orderBy('entitlement_code')
    .execute();
  return rows.map(({ entitlement_code, quantity }) => ({ code: entitlement_code, quantity: Number(quantity) }));
}

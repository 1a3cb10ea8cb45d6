import { sql } from 'kysely';
import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { isOneOf, numberAt, rowsOfJson, textAt } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import { allIn } from '../../../db/prepared-queries.ts';
import type { UsageEventsTable, UsageInterval, UsageTotalsTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { pageSize } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { BucketInterval } from './schemas.ts';

/** Reads the usage of an entitlement in a period. Arguments: license id, interval, period, entitlement code. */
export const findUsageTotal: PreparedRead<TenantTables, Pick<UsageTotalsTable, 'quantity'>> = {
  name: 'find_usage_total',
  build: (db, parameter) =>
    db
      .selectFrom('usage_totals')
      .select('quantity')
      .where('license_id', '=', parameter(0))
      .where('interval', '=', parameter(1) as UsageInterval)
      .where('period', '=', parameter(2))
      .where('entitlement_code', '=', parameter(3)),
};

/** Identifies totals of a license: every combination of these codes, intervals and periods. */
export interface TotalsNamed {
  readonly codes: readonly string[];
  readonly intervals: readonly UsageInterval[];
  readonly periods: readonly string[];
}

/** A total, or a quantity to add to it, of a known license. */
export type UsageTotal = Omit<UsageTotalsTable, 'license_id'>;

const namedTotals: PreparedRead<TenantTables, UsageTotal> = {
  name: 'named_usage_totals',
  build: (db, parameter) =>
    db
      .selectFrom('usage_totals')
      .select(['interval', 'period', 'entitlement_code', 'quantity'])
      .where('license_id', '=', parameter(0))
      .where(isOneOf(db, 'entitlement_code', parameter(1)))
      .where(isOneOf(db, 'interval', parameter(2)))
      .where(isOneOf(db, 'period', parameter(3))),
};

/** Returns the existing ones of the named totals. Without codes nothing is read. */
export async function findUsageTotals(
  tx: TenantTransaction,
  licenseId: string,
  { codes, intervals, periods }: TotalsNamed,
): Promise<UsageTotal[]> {
  if (codes.length === 0) return [];
  return await allIn(tx, namedTotals, [
    licenseId,
    ...[codes, intervals, periods].map((names) => JSON.stringify(names)),
  ]);
}

const totalsAddition: PreparedRead<TenantTables, never> = {
  name: 'add_to_usage_totals',
  build: (db, parameter) => ({
    compile: () =>
      sql<never>`
        insert into usage_totals (license_id, ${sql.ref('interval')}, period, entitlement_code, quantity)
        select ${parameter(0)}, ${textAt(0)}, ${textAt(1)}, ${textAt(2)}, ${numberAt(3)}
        from ${rowsOfJson(db, parameter(1))} where true
        on conflict (license_id, entitlement_code, ${sql.ref('interval')}, period) do update
        set quantity = usage_totals.quantity + excluded.quantity`.compile(db),
  }),
};

/** Adds quantities to totals, and inserts missing totals. `additions` must contain each total at most once. */
export async function addToUsageTotals(
  tx: TenantTransaction,
  licenseId: string,
  additions: readonly UsageTotal[],
): Promise<void> {
  if (additions.length === 0) return;
  const rows = additions.map((total) => [total.interval, total.period, total.entitlement_code, String(total.quantity)]);
  await allIn(tx, totalsAddition, [licenseId, JSON.stringify(rows)]);
}

const usedKeys: PreparedRead<TenantTables, Pick<UsageEventsTable, 'idempotency_key'>> = {
  name: 'used_usage_keys',
  build: (db, parameter) =>
    db
      .selectFrom('usage_events')
      .select('idempotency_key')
      .where('license_id', '=', parameter(0))
      .where(isOneOf(db, 'idempotency_key', parameter(1))),
};

/** Returns the keys under which an event of the license was already counted. */
export async function findUsedKeys(
  tx: TenantTransaction,
  licenseId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await allIn(tx, usedKeys, [licenseId, JSON.stringify(keys)]);
  return new Set(rows.map((row) => row.idempotency_key));
}

const usedKeysAddition: PreparedRead<TenantTables, never> = {
  name: 'add_used_usage_keys',
  build: (db, parameter) => ({
    compile: () =>
      sql<never>`
        insert into usage_events (license_id, idempotency_key, recorded_at)
        select ${parameter(0)}, ${textAt(0)}, ${parameter(1)} from ${rowsOfJson(db, parameter(2))}`.compile(db),
  }),
};

/** Stores the idempotency keys of counted events. */
export async function recordUsedKeys(
  tx: TenantTransaction,
  licenseId: string,
  keys: readonly string[],
  at: Timestamp,
): Promise<void> {
  if (keys.length > 0) await allIn(tx, usedKeysAddition, [licenseId, at, JSON.stringify(keys.map((key) => [key]))]);
}

/** Inserts totals that do not exist yet. */
export async function createUsageTotals(tx: TenantTransaction, rows: readonly UsageTotalsTable[]): Promise<void> {
  await insertRows(tx, 'usage_totals', rows);
}

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

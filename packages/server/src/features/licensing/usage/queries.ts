import type { PreparedRead, TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { UsageInterval, UsageTotalsTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

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

/** Returns the existing ones of the named totals. Without codes nothing is read. */
export async function findUsageTotals(
  tx: TenantTransaction,
  licenseId: string,
  { codes, intervals, periods }: TotalsNamed,
): Promise<UsageTotal[]> {
  if (codes.length === 0) return [];
  return await tx
    .selectFrom('usage_totals')
    .select(['interval', 'period', 'entitlement_code', 'quantity'])
    .where('license_id', '=', licenseId)
    .where('interval', 'in', intervals)
    .where('period', 'in', periods)
    .where('entitlement_code', 'in', codes)
    .execute();
}

/** SQLite allows 32,766 parameters in one statement; a row of totals has 5. */
const rowsPerStatement = 2000;

function* slices<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) yield rows.slice(start, start + rowsPerStatement);
}

/** Adds quantities to totals, and inserts missing totals. `additions` must contain each total at most once. */
export async function addToUsageTotals(
  tx: TenantTransaction,
  licenseId: string,
  additions: readonly UsageTotal[],
): Promise<void> {
  for (const slice of slices(additions)) {
    await tx
      .insertInto('usage_totals')
      .values(slice.map((addition) => ({ license_id: licenseId, ...addition })))
      .onConflict((conflict) =>
        conflict.columns(['license_id', 'interval', 'period', 'entitlement_code']).doUpdateSet((eb) => ({
          quantity: eb('usage_totals.quantity', '+', eb.ref('excluded.quantity')),
        })),
      )
      .execute();
  }
}

/** Returns the keys under which an event of the license was already counted. */
export async function findUsedKeys(
  tx: TenantTransaction,
  licenseId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await tx
    .selectFrom('usage_events')
    .select('idempotency_key')
    .where('license_id', '=', licenseId)
    .where('idempotency_key', 'in', keys)
    .execute();
  return new Set(rows.map((row) => row.idempotency_key));
}

/** Stores the idempotency keys of counted events. */
export async function recordUsedKeys(
  tx: TenantTransaction,
  licenseId: string,
  keys: readonly string[],
  at: Timestamp,
): Promise<void> {
  for (const slice of slices(keys)) {
    const rows = slice.map((key) => ({ license_id: licenseId, idempotency_key: key, recorded_at: at }));
    await tx.insertInto('usage_events').values(rows).execute();
  }
}

/** Inserts totals that do not exist yet. */
export async function createUsageTotals(tx: TenantTransaction, rows: readonly UsageTotalsTable[]): Promise<void> {
  await insertRows(tx, 'usage_totals', rows);
}

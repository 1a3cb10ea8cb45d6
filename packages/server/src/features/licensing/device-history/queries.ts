import { sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { isPostgres, numberAt, rowsOf, textAt } from '../../../db/dialect.ts';
import { executeForEach } from '../../../db/statements.ts';
import type { LicenseChecksTable, LicenseRefusalsTable } from '../../../db/tables/tenant/checks.ts';
import type { LicenseChecksQuery } from './schemas.ts';

/** Adds checks to the stored ones. The rows must be sorted and contain each check at most once. */
export async function addChecks(tx: TenantTransaction, rows: readonly LicenseChecksTable[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  if (isPostgres(tx)) return await addAtOnce(tx, rows);
  const insert = tx.insertInto('license_checks').values(first);
  await executeForEach(tx, insert.onConflict(addToStored).compile(), rows.map(valuesOf));
}

type Insert = ReturnType<typeof insertOf>;
const insertOf = (tx: TenantTransaction) => tx.insertInto('license_checks');

const addToStored: Parameters<Insert['onConflict']>[0] = (conflict) =>
  conflict.columns(['license_id', 'kind', 'fingerprint', 'code']).doUpdateSet((eb) => ({
    app_version: eb.fn.coalesce('excluded.app_version', 'license_checks.app_version'),
    address: eb.ref('excluded.address'),
    last_at: eb
      .case()
      .when('excluded.last_at', '>', eb.ref('license_checks.last_at'))
      .then(eb.ref('excluded.last_at'))
      .else(eb.ref('license_checks.last_at'))
      .end(),
    count: eb('license_checks.count', '+', eb.ref('excluded.count')),
  }));

const columns = [
  'license_id',
  'kind',
  'fingerprint',
  'code',
  'is_allowed',
  'app_version',
  'address',
  'first_at',
  'last_at',
  'count',
] as const;

const valuesOf = (row: LicenseChecksTable) => columns.map((column) => row[column]);

/** One parameter instead of thousands. `json_array_elements` gives no value and an empty text as they are. */
async function addAtOnce(tx: TenantTransaction, rows: readonly LicenseChecksTable[]): Promise<void> {
  const texts = rows.map((row) => valuesOf(row).map((value) => (value === null ? '' : String(value))));
  const nullable = (index: number) => sql<string | null>`nullif(${textAt(index)}, '')`;
  const listed = sql<LicenseChecksTable>`(select ${textAt(0)}, ${textAt(1)}, ${textAt(2)}, ${textAt(3)},
    cast(${textAt(4)} as integer), ${nullable(5)}, ${nullable(6)}, ${textAt(7)}, ${textAt(8)}, ${numberAt(9)}
    from ${rowsOf(tx, texts)})`;
  await insertOf(tx).columns(columns).expression(listed).onConflict(addToStored).execute();
}

/** Deletes all but about the `kept` newest checks of each of these licenses. */
export async function trimChecks(tx: TenantTransaction, licenseIds: readonly string[], kept: number): Promise<void> {
  const full = await tx
    .selectFrom('license_checks')
    .select('license_id')
    .where('license_id', 'in', licenseIds)
    .groupBy('license_id')
    .having((eb) => eb.fn.countAll(), '>', kept)
    .execute();
  for (const { license_id } of full) {
    const oldestKept = tx
      .selectFrom('license_checks')
      .select('last_at')
      .where('license_id', '=', license_id)
      .orderBy('last_at', 'desc')
      .limit(1)
      .offset(kept - 1);
    await tx
      .deleteFrom('license_checks')
      .where('license_id', '=', license_id)
      .where('last_at', '<', oldestKept)
      .execute();
  }
}

/** Returns the newest checks of a license that match the filters. A license has few, so they are read and sorted. */
export function listChecks(
  { query }: TenantDb,
  licenseId: string,
  { limit = 0, is_allowed }: LicenseChecksQuery,
): Promise<LicenseChecksTable[]> {
  return query
    .selectFrom('license_checks')
    .selectAll()
    .where('license_id', '=', licenseId)
    .$if(is_allowed !== undefined, (checks) => checks.where('is_allowed', '=', is_allowed === true ? 1 : 0))
    .orderBy('last_at', 'desc')
    .orderBy('fingerprint')
    .orderBy('code')
    .limit(limit)
    .execute();
}

/** Returns every check of these licenses. */
export function listChecksOf({ query }: TenantDb, licenseIds: readonly string[]): Promise<LicenseChecksTable[]> {
  return query
    .selectFrom('license_checks')
    .selectAll()
    .where('license_id', 'in', licenseIds)
    .orderBy('license_id')
    .orderBy('last_at')
    .execute();
}

/** Deletes every check of these licenses. */
export async function deleteChecksOf(tx: TenantTransaction, licenseIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('license_checks').where('license_id', 'in', licenseIds).execute();
}

/** Stores the refusals of a license. The caller must hold its lock. */
export async function writeRefusal(tx: TenantTransaction, row: LicenseRefusalsTable): Promise<void> {
  const { license_id: _key, ...changes } = row;
  await tx
    .insertInto('license_refusals')
    .values(row)
    .onConflict((conflict) => conflict.column('license_id').doUpdateSet(changes))
    .execute();
}

/** Notes that a license had a seat for a device: from now on, none was refused. The caller must hold its lock. */
export async function noteSeatTaken(tx: TenantTransaction, licenseId: string): Promise<void> {
  await tx
    .updateTable('license_refusals')
    .set({ refused_since: null })
    .where('license_id', '=', licenseId)
    .where('refused_since', 'is not', null)
    .execute();
}

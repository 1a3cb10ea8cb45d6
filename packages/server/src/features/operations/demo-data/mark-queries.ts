import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { DemoRowsTable } from '../../../db/tables/platform/demo-rows.ts';

/** Marks rows as created by the demo. */
export async function createMarks(tx: PlatformTransaction, rows: readonly DemoRowsTable[]): Promise<void> {
  await insertRows(tx, 'demo_rows', rows);
}

/** Returns the marks of a tenant's rows, or with null those of the platform's. */
export function listMarks(platform: PlatformDb, tenantId: string | null): Promise<DemoRowsTable[]> {
  const marks = platform.query.selectFrom('demo_rows').selectAll();
  return (tenantId === null ? marks.where('tenant_id', 'is', null) : marks.where('tenant_id', '=', tenantId)).execute();
}

/** Returns the ids of the tenants that have demo data of their own. */
export async function listMarkedTenants(platform: PlatformDb): Promise<string[]> {
  const marks = platform.query.selectFrom('demo_rows').select('tenant_id').distinct();
  const rows = await marks.where('tenant_id', 'is not', null).orderBy('tenant_id').execute();
  return rows.flatMap(({ tenant_id: id }) => (id === null ? [] : [id]));
}

/** Returns the number of a tenant's marked rows by table. */
export async function countMarks(platform: PlatformDb, tenantId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await platform.query
    .selectFrom('demo_rows')
    .select((eb) => ['table_name', eb.fn.countAll<number | string>().as('count')])
    .where('tenant_id', '=', tenantId)
    .groupBy('table_name')
    .execute();
  return new Map(rows.map(({ table_name, count }) => [table_name, Number(count)]));
}

/** Deletes the marks of a tenant's rows. */
export async function deleteMarksOfTenant(tx: PlatformTransaction, tenantId: string): Promise<void> {
  await tx.deleteFrom('demo_rows').where('tenant_id', '=', tenantId).execute();
}

/** Deletes the mark of one row. */
export async function deleteMark(tx: PlatformTransaction, tableName: string, rowId: string): Promise<void> {
  await tx.deleteFrom('demo_rows').where('table_name', '=', tableName).where('row_id', '=', rowId).execute();
}

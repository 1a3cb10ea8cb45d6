import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';

/** Platform tables with rows of the demo that the purge of its tenants does not delete. */
export type DemoTable = Extract<keyof PlatformTables, 'tenants' | 'users' | 'plans' | 'coupons' | 'revenue_days'>;

/**
 * Records rows of the platform as created by the demo, in the caller's transaction. The rows inside of a tenant need no
 * record, because the demo's tenants are deleted as a whole.
 */
export async function recordDemoRows(tx: PlatformTransaction, table: DemoTable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map((row_id) => ({ table_name: table, row_id, tenant_id: null }));
  // A repeated start records the same days of revenue again.
  await tx
    .insertInto('demo_rows')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the ids of the rows of a table that the demo created, also of rows that were deleted since. */
export async function listDemoRows(platform: PlatformDb, table: DemoTable): Promise<string[]> {
  const rows = platform.query.selectFrom('demo_rows').select('row_id').where('table_name', '=', table);
  // Earlier versions also recorded the rows inside of tenants.
  return (await rows.where('tenant_id', 'is', null).execute()).map(({ row_id }) => row_id);
}

/** Returns the ids of the demo's tenants that were not purged. */
export async function listDemoTenants(platform: PlatformDb): Promise<string[]> {
  const tenants = platform.query
    .selectFrom('tenants')
    .innerJoin('demo_rows', 'demo_rows.row_id', 'tenants.id')
    .where('demo_rows.table_name', '=', 'tenants');
  return (await tenants.select('tenants.id').orderBy('tenants.id').execute()).map(({ id }) => id);
}

/** Returns true if the demo created a tenant, also after the tenant was purged. */
export async function isDemoTenant(platform: PlatformDb, tenantId: string): Promise<boolean> {
  const row = platform.query.selectFrom('demo_rows').select('row_id').where('table_name', '=', 'tenants');
  return (await row.where('row_id', '=', tenantId).executeTakeFirst()) !== undefined;
}

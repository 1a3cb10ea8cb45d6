import { sql } from 'kysely';
import { engine, type TestApp } from './harness.ts';

const tableNames =
  engine === 'sqlite'
    ? "select name from sqlite_master where type = 'table'"
    : "select table_name as name from information_schema.tables where table_schema = 'public'";

/** Returns every row of a tenant's database as text. */
export function everythingStored(app: TestApp, tenantId: string): Promise<string> {
  return app.services.tenants.withTenantDb(tenantId, async ({ query }) => {
    const { rows: tables } = await sql<{ name: string }>`${sql.raw(tableNames)}`.execute(query);
    const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(query)));
    return JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  });
}

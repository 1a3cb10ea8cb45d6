import type { Kysely } from 'kysely';

/** Creates `migration_failures`. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('migration_failures')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull().references('tenants.id'))
    .addColumn('migration', 'text', (column) => column.notNull())
    .addColumn('error', 'text', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('failed_at', 'text', (column) => column.notNull())
    .addColumn('retry_at', 'text', (column) => column.notNull())
    .execute();
}

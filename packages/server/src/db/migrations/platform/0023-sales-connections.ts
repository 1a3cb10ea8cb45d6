import type { Kysely } from 'kysely';
import { index } from '../schema.ts';

/** Creates the table that finds the tenant of a connection to a shop. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sales_connections')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .execute();
  await index(db, 'sales_connections', ['tenant_id']);
}

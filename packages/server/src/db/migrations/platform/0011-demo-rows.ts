import type { Kysely } from 'kysely';
import { index, primaryKey } from '../schema.ts';

/** Creates the table of the rows that the demo created. Versions without it do not know which data is demo data. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('demo_rows')
    .addColumn('table_name', 'text', (column) => column.notNull())
    .addColumn('row_id', 'text', (column) => column.notNull())
    .addColumn('tenant_id', 'text')
    .$call(primaryKey('demo_rows', ['table_name', 'row_id']))
    .execute();
  await index(db, 'demo_rows', ['tenant_id', 'table_name', 'row_id']);
}

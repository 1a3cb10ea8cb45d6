import type { Kysely } from 'kysely';
import { primaryKey } from '../schema.ts';

/** Adds the table that maps resources of another licensing service to the resources that were imported from them. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('imported_resources')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('source_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('target_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .$call(primaryKey('imported_resources', ['kind', 'source_id']))
    .execute();
}

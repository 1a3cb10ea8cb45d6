import type { Kysely } from 'kysely';
import { index } from '../schema.ts';

/** Creates the table in which running nodes announce themselves. Versions without it neither read nor write it. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('places_json', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'nodes', ['expires_at']);
}

import type { Kysely } from 'kysely';
import { index, oneOf } from '../schema.ts';

/** Adds the progress of imports that outlive their request. An earlier version ignores it. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('license_imports')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('done', 'integer', (column) => column.notNull())
    .addColumn('created', 'integer', (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull())
    .addColumn('errors_json', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .addCheckConstraint('license_imports_state_known', oneOf('state', ['running', 'done', 'failed']))
    .execute();
  await index(db, 'license_imports', ['created_at', 'id']);
}

import type { Kysely } from 'kysely';
import { flag, uniqueIndex } from '../schema.ts';

/** Creates the table of the addresses of the tenants' portals. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('portal_handles')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull().references('tenants.id'))
    .addColumn('handle', 'text', (column) => column.notNull())
    .addColumn('is_enabled', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('portal_handles_is_enabled_flag', flag('is_enabled'))
    .execute();
  await uniqueIndex(db, 'portal_handles', ['handle']);
}

import type { Kysely } from 'kysely';
import { index, oneOf, primaryKey, uniqueIndex } from '../../schema.ts';

/** Creates the tables of users' data exports and requested account deletions. */
export async function createAccountTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('account_exports')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('done_steps', 'bigint', (column) => column.notNull())
    .addColumn('total_steps', 'bigint', (column) => column.notNull())
    .addColumn('position_json', 'text', (column) => column.notNull())
    .addColumn('part_count', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('finished_at', 'text')
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addCheckConstraint('account_exports_status_known', oneOf('status', ['pending', 'running', 'ready', 'failed']))
    .execute();
  await index(db, 'account_exports', ['user_id', 'created_at', 'id']);
  await uniqueIndex(db, 'account_exports', ['user_id'], 'finished_at');
  await db.schema
    .createTable('account_export_parts')
    .addColumn('export_id', 'text', (column) => column.notNull().references('account_exports.id').onDelete('cascade'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('section', 'text', (column) => column.notNull())
    .addColumn('sealed_rows', 'text', (column) => column.notNull())
    .$call(primaryKey('account_export_parts', ['export_id', 'position']))
    .execute();
  await db.schema
    .createTable('account_deletions')
    .addColumn('user_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('requested_at', 'text', (column) => column.notNull())
    .addColumn('scheduled_for', 'text', (column) => column.notNull())
    .addColumn('postponed_at', 'text')
    .addColumn('tenant_cursor', 'text')
    .addCheckConstraint('account_deletions_phase_known', oneOf('phase', ['scheduled', 'erasing', 'cleaning']))
    .execute();
}

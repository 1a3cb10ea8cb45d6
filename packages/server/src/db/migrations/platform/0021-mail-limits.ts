import type { Kysely } from 'kysely';
import { index, oneOf } from '../schema.ts';

/**
 * Creates the counters that limit mail, and the table of mailed links that a newer link does not end. An earlier version
 * neither counts nor keeps such links.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('mail_counts')
    .addColumn('key_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('hits', 'integer', (column) => column.notNull())
    .addColumn('ends_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'mail_counts', ['ends_at']);
  await db.schema
    .createTable('earlier_mail_links')
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addCheckConstraint('earlier_mail_links_purpose_known', oneOf('purpose', ['verify_email', 'reset_password']))
    .execute();
  await index(db, 'earlier_mail_links', ['user_id', 'purpose']);
  await index(db, 'earlier_mail_links', ['expires_at']);
}

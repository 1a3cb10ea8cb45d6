import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../dialect.ts';
import { index, uniqueIndex } from '../schema.ts';

/**
 * Creates `email_changes`, adds the client address to sessions (null in rows that an earlier version inserts), and
 * creates the index by which admins find users by the name after the first word.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('access_tokens').addColumn('ip', 'text').execute();
  await db.schema
    .createTable('email_changes')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('old_email', 'text', (column) => column.notNull())
    .addColumn('new_email', 'text', (column) => column.notNull())
    .addColumn('confirm_hash', 'text', (column) => column.notNull())
    .addColumn('revert_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('revertible_until', 'text', (column) => column.notNull())
    .addColumn('confirmed_at', 'text')
    .execute();
  await uniqueIndex(db, 'email_changes', ['confirm_hash']);
  await uniqueIndex(db, 'email_changes', ['revert_hash']);
  await uniqueIndex(db, 'email_changes', ['user_id'], 'confirmed_at');
  await index(db, 'email_changes', ['user_id', 'created_at', 'id']);
  await index(db, 'email_changes', ['old_email', 'revertible_until']);
  await index(db, 'email_changes', ['confirmed_at', 'revertible_until']);
  // A search for a prefix is a range over text sorted by bytes. The platform's database may have another locale.
  const restOfName = isPostgres(db)
    ? sql`lower(substr(name collate "C", strpos(name, ' ') + 1))`
    : sql`lower(substr(name, instr(name, ' ') + 1))`;
  await sql`create index users_name_rest_prefix on users ((${restOfName}), created_at, id)`.execute(db);
}

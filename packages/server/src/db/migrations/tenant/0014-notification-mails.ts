import { type Kysely, type SqlBool, sql } from 'kysely';

/** Notifications that are still to be mailed, and the number of the mail that told of some of them last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notification_mails')
    .addColumn('notification_id', 'text', (column) => column.primaryKey().notNull().references('notifications.id'))
    .addColumn('is_urgent', 'integer', (column) => column.notNull())
    .addColumn('mail_number', 'bigint')
    .execute();
  await db.schema
    .createTable('notification_mail_numbers')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('last_number', 'bigint', (column) => column.notNull())
    .addCheckConstraint('notification_mail_numbers_one_row', sql<SqlBool>`id = 1`)
    .execute();
  await sql`insert into notification_mail_numbers (id, last_number) values (1, 0)`.execute(db);
}

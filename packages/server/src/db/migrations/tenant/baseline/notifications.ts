import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex, uniqueIndex } from '../../schema.ts';

/** One index for each filter, and one for each filter combined with `unread`, because few notifications are unread. */
async function indexFilters<Tables>(db: Kysely<Tables>): Promise<void> {
  const newestFirst = ['created_at', 'id'];
  for (const filter of [[], ['type'], ['severity']]) {
    const columns = [...filter, ...newestFirst];
    await index(db, 'notifications', columns);
    const name = `notifications_unread_${columns.join('_')}`;
    await partialIndex(db, name, 'notifications', columns, sql<SqlBool>`read_at is null`);
  }
  const isRead = sql<SqlBool>`read_at is not null`;
  await partialIndex(db, 'notifications_read_created_at_id', 'notifications', newestFirst, isRead);
}

/** Creates the tables of notifications and of the mails that report them. */
export async function createNotificationTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('notifications')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('occurrence', 'text')
    .addColumn('read_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('notifications_severity_known', oneOf('severity', ['info', 'warning', 'critical']))
    .execute();
  await uniqueIndex(db, 'notifications', ['occurrence']);
  await indexFilters(db);
  await createNotificationMails(db);
}

/** The notifications that still have to be mailed, and the number of the mail that last reported some of them. */
async function createNotificationMails<Tables>(db: Kysely<Tables>): Promise<void> {
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

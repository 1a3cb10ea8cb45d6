import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, uniqueIndex } from '../schema.ts';

/** What the people of a tenant should know. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
  await index(db, 'notifications', ['created_at', 'id']);
  await index(db, 'notifications', ['severity', 'created_at', 'id']);
  await index(db, 'notifications', ['type', 'created_at', 'id']);
  await db.schema
    .createIndex('notifications_unread')
    .on('notifications')
    .columns(['created_at', 'id'])
    .where(sql<SqlBool>`read_at is null`)
    .execute();
}

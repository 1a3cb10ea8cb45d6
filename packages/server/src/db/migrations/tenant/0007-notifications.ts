import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex, uniqueIndex } from '../schema.ts';

/** An index for each filter by itself, and for what is unread with each other: what is looked for among much else. */
async function indexFilters(db: Kysely<unknown>): Promise<void> {
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
  await indexFilters(db);
}

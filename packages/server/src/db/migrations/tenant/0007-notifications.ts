import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, uniqueIndex } from '../schema.ts';

/** What a list may filter by beside whether it was read, each in the order of time. */
const filters: readonly (readonly string[])[] = [[], ['type'], ['severity'], ['type', 'severity']];

/** One index for every combination of filters: a page costs the same however many rows there are. */
async function indexEveryFilter(db: Kysely<unknown>): Promise<void> {
  for (const filter of filters) {
    const columns = [...filter, 'created_at', 'id'];
    await index(db, 'notifications', columns);
    await partialIndex(db, 'unread', columns, sql<SqlBool>`read_at is null`);
    await partialIndex(db, 'read', columns, sql<SqlBool>`read_at is not null`);
  }
}

async function partialIndex(
  db: Kysely<unknown>,
  name: string,
  columns: string[],
  where: ReturnType<typeof sql<SqlBool>>,
): Promise<void> {
  const indexName = `notifications_${name}_${columns.join('_')}`;
  await db.schema.createIndex(indexName).on('notifications').columns(columns).where(where).execute();
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
  await indexEveryFilter(db);
}

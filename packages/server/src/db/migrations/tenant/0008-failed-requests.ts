import type { Kysely } from 'kysely';

/** The last Integration requests that failed, for the developer who looks for the reason. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('failed_requests')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('occurred_at', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text')
    .execute();
}

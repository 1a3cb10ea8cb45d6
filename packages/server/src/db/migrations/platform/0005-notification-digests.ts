import type { Kysely } from 'kysely';

/** Which mail of its notifications each tenant got last, and when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notification_digests')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull().references('tenants.id'))
    .addColumn('last_number', 'bigint', (column) => column.notNull())
    .addColumn('mailed_at', 'text', (column) => column.notNull())
    .execute();
}

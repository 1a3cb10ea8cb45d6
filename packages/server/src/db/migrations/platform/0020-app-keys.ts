import type { Kysely } from 'kysely';

/** Adds the former application keys that stored secrets may still need, and the key of each running node. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('app_keys')
    .addColumn('fingerprint', 'text', (column) => column.notNull().primaryKey())
    .addColumn('noted_at', 'text', (column) => column.notNull())
    .addColumn('replaced_at', 'text', (column) => column.notNull())
    .addColumn('secrets', 'bigint', (column) => column.notNull())
    .addColumn('resealed_at', 'text')
    .execute();
  await db.schema.alterTable('nodes').addColumn('app_key_fingerprint', 'text').execute();
}

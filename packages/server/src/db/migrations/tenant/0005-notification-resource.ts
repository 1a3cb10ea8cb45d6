import type { Kysely } from 'kysely';

/** Adds the resource that a notification is about. Versions without it leave it null. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const column of ['resource_type', 'resource_id']) {
    await db.schema.alterTable('notifications').addColumn(column, 'text').execute();
  }
}

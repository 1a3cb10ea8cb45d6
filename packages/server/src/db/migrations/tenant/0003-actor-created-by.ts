import type { Kysely } from 'kysely';

/** Adds the user who created the access token that acted. Versions without it leave it null. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('audit_logs').addColumn('actor_created_by', 'text').execute();
}

import type { Kysely } from 'kysely';

/** Adds the end of a move's lease, which is separate from the pause: a move pauses writes only at its end. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('tenants').addColumn('move_expires_at', 'text').execute();
}

import type { Kysely } from 'kysely';

/** Adds the time of the installation's last backup. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('instance').addColumn('last_backup_at', 'text').execute();
}

import type { Kysely } from 'kysely';

/** Drops the mapping of imported resources: only the command that the program `keygen-import` replaced in 1.2.0 used it. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.dropTable('imported_resources').execute();
}

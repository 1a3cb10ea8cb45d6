import { type Kysely, type SqlBool, sql } from 'kysely';

/** Of which licenses it was told that they have ended, each once for every date on which it ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('licenses').addColumn('expired_noted_for', 'text').execute();
  // What ended before anybody could be told is no news.
  await sql`update licenses set expired_noted_for = expires_at where expires_at <= ${new Date().toISOString()}`.execute(
    db,
  );
  // Holds what is still to be told, in the order in which it will be.
  await db.schema
    .createIndex('licenses_ending')
    .on('licenses')
    .columns(['expires_at', 'id'])
    .where(
      sql<SqlBool>`deleted_at is null and status not in ('suspended', 'revoked') and expires_at is not null and (expired_noted_for is null or expired_noted_for <> expires_at)`,
    )
    .execute();
}

import { type Kysely, type SqlBool, sql } from 'kysely';

/**
 * Counts the seats that a license has given away, and finds those of its leases that ended, from the index alone:
 * SQLite reads `released_at` from the table, row by row, unless the index has it as well.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('activations_taken_seats')
    .on('activations')
    .columns(['license_id', 'lease_expires_at', 'released_at'])
    .where(sql<SqlBool>`released_at is null`)
    .execute();
}

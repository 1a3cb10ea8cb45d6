import { type Kysely, sql } from 'kysely';

/** Adds the index of the list of licenses that is sorted by their end. A license without an end is the last. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`
    create index licenses_by_expiry on licenses (coalesce(expires_at, '9999-12-31T23:59:59.999999Z'), id)
    where deleted_at is null`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * Removes the passwords of databases from checkouts whose tenant exists. They were copies, which outlived the tenants
 * and which `licensing keys status` counted.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`update onboarding_checkouts set placement_json = null where status = 'completed'`.execute(db);
}

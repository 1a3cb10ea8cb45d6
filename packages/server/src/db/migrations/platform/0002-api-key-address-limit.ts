import type { Kysely } from 'kysely';

/** Adds the limit of an API key per client address. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('rate_limit_per_address_per_minute', 'bigint').execute();
}

import type { Kysely } from 'kysely';

/** Adds the addresses that a public key gave and nobody has confirmed. Trials of before stay as they were. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('unconfirmed_addresses')
    .addColumn('address_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('mailed_at', 'text')
    .execute();
}

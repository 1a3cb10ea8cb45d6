import type { Kysely } from 'kysely';

/** Adds the table of email addresses that a trial named and nobody has confirmed. Addresses of earlier trials are not added. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('unconfirmed_addresses')
    .addColumn('address_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('mailed_at', 'text')
    .execute();
}

import { type Kysely, type SqlBool, sql } from 'kysely';
import { partialIndex } from '../schema.ts';

/** Adds what single invoices need: the order of their reads, the time of the last one, and whether a receipt was sent. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('invoice_reads')
    .addColumn('provider_invoice_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('last_begun', 'bigint', (column) => column.notNull())
    .addColumn('last_written', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('invoices').addColumn('synced_at', 'text').execute();
  await db.schema.alterTable('invoices').addColumn('receipted_at', 'text').execute();
  // Only single invoices have this time.
  const isSingle = sql<SqlBool>`synced_at is not null`;
  await partialIndex(db, 'invoices_single_synced', 'invoices', ['synced_at'], isSingle);
}

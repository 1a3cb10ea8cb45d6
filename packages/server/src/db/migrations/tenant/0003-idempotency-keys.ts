import type { Kysely } from 'kysely';
import { index, uniqueIndex } from '../schema.ts';

/** The requests with an `Idempotency-Key` and what they answered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('attempt_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('lease_expires_at', 'text', (column) => column.notNull())
    .addColumn('response_status', 'integer')
    .addColumn('response_data_json', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'idempotency_keys', ['route', 'idempotency_key']);
  await index(db, 'idempotency_keys', ['expires_at']);
}

import type { Kysely } from 'kysely';
import type { PlatformTables } from '../../tables/platform-tables.ts';
import { index, uniqueIndex } from '../schema.ts';

/** Creates the table of users' requests with an `Idempotency-Key`, and of their responses. */
export async function up(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('user_idempotency_keys')
    .addColumn('attempt_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text', (column) => column.notNull())
    .addColumn('lease_expires_at', 'text', (column) => column.notNull())
    .addColumn('response_status', 'integer')
    .addColumn('response_data_json', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'user_idempotency_keys', ['user_id', 'route', 'idempotency_key']);
  await index(db, 'user_idempotency_keys', ['expires_at']);
}

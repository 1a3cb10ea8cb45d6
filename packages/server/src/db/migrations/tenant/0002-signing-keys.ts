import { type Kysely, type SqlBool, sql } from 'kysely';
import { uniqueIndex } from '../schema.ts';

/** The keys that sign offline certificates: one active, and those before it until their last certificate has ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('signing_keys')
    .addColumn('kid', 'text', (column) => column.primaryKey().notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('public_jwk_json', 'text', (column) => column.notNull())
    .addColumn('sealed_private_jwk', 'text')
    .addColumn('app_key_fingerprint', 'text')
    .addColumn('certificates_expire_at', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('retires_at', 'text')
    .addCheckConstraint(
      'signing_keys_status_known',
      // A key that signs no more needs no private half; without it nobody can make it sign again.
      sql<SqlBool>`(status = 'active' and retires_at is null and sealed_private_jwk is not null)
        or (status = 'retiring' and retires_at is not null and sealed_private_jwk is null)`,
    )
    .execute();
  // However many make the first key or a successor at once: one is active.
  await uniqueIndex(db, 'signing_keys', ['status'], 'retires_at');
}

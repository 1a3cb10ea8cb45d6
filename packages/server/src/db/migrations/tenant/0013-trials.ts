import { type Kysely, sql } from 'kysely';
import { flag, index, partialIndex, uniqueIndex } from '../schema.ts';

/** Adds trials without a key: who had one, who waits for a confirmation, and the settings of products and policies. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  // Without a reference to the policies, which refer to the products: copies insert tables in the order of references.
  await db.schema.alterTable('products').addColumn('trial_policy_id', 'text').execute();
  await db.schema
    .alterTable('policies')
    .addColumn('trial_requires_email', 'integer', (column) =>
      column.notNull().defaultTo(0).check(flag('trial_requires_email')),
    )
    .execute();
  for (const [name, limit] of [
    ['trials_per_day_max', 1000],
    ['trials_per_address_max', 20],
  ] as const) {
    await db.schema
      .alterTable('settings')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(limit))
      .execute();
  }
  await createTrials(db);
  await createTrialRequests(db);
}

async function createTrials<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('trials')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('product_id', 'text', (column) => column.notNull().references('products.id'))
    .addColumn('license_id', 'text', (column) => column.notNull().references('licenses.id'))
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text')
    .addColumn('is_first', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('converted_at', 'text')
    .addCheckConstraint('trials_is_first_flag', flag('is_first'))
    .execute();
  await uniqueIndex(db, 'trials', ['product_id', 'fingerprint']);
  await uniqueIndex(db, 'trials', ['product_id', 'email_key']);
  await index(db, 'trials', ['license_id']);
  await partialIndex(db, 'trials_started', 'trials', ['started_at', 'converted_at'], sql`is_first = 1`);
  await partialIndex(db, 'trials_by_email', 'trials', ['email_key'], sql`email_key is not null`);
}

async function createTrialRequests<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('trial_requests')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('product_id', 'text', (column) => column.notNull().references('products.id'))
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('device_json', 'text', (column) => column.notNull())
    .addColumn('code_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'trial_requests', ['product_id', 'fingerprint']);
  await uniqueIndex(db, 'trial_requests', ['code_hash']);
  await index(db, 'trial_requests', ['created_at']);
  await index(db, 'trial_requests', ['expires_at', 'id']);
}

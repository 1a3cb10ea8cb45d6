import { type Kysely, type SqlBool, sql } from 'kysely';
import { createAuditLogs, index, uniqueIndex } from '../../schema.ts';

/** Creates the tables that a tenant has beside its licenses: identity, settings, keys, plan use, logs. */
export async function createAdministrationTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createTenantIdentity(db);
  await createSettings(db);
  await createSigningKeys(db);
  await createIdempotencyKeys(db);
  await createPlanUse(db);
  await createFailedRequests(db);
  await createAuditLogs(db);
}

/** One row with the id of the tenant to which this database belongs. It is checked whenever the database is opened. */
async function createTenantIdentity<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('tenant_identity')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
}

/** One row, inserted here with its defaults, so that every change finds a row to lock. */
async function createSettings<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('settings')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('timezone', 'text', (column) => column.notNull().defaultTo('UTC'))
    .addColumn('support_email', 'text')
    .addColumn('license_key_prefix', 'text')
    .addColumn('expiring_soon_days', 'integer', (column) => column.notNull().defaultTo(14))
    .addColumn('notification_emails_json', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('webhook_event_defaults_json', 'text', (column) => column.notNull().defaultTo('["*"]'))
    .addColumn('retention_audit_days', 'integer', (column) => column.notNull().defaultTo(365))
    .addColumn('retention_usage_days', 'integer', (column) => column.notNull().defaultTo(400))
    .addColumn('retention_deliveries_days', 'integer', (column) => column.notNull().defaultTo(30))
    .addCheckConstraint('settings_one_row', sql<SqlBool>`id = 1`)
    .execute();
  await sql`insert into settings (id) values (1)`.execute(db);
}

/** The keys that sign offline certificates: one is active; a retired one is kept until its last certificate expires. */
async function createSigningKeys<Tables>(db: Kysely<Tables>): Promise<void> {
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
      // A retiring key has no private half, so that it cannot sign again.
      sql<SqlBool>`(status = 'active' and retires_at is null and sealed_private_jwk is not null)
        or (status = 'retiring' and retires_at is not null and sealed_private_jwk is null)`,
    )
    .execute();
  // Only one key is active, even if several requests create the first key or a successor at the same time.
  await uniqueIndex(db, 'signing_keys', ['status'], 'retires_at');
}

/** Requests with an `Idempotency-Key`, and their responses. */
async function createIdempotencyKeys<Tables>(db: Kysely<Tables>): Promise<void> {
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

/** The number of rows of each resource that a plan limits. Counting a million licenses takes 65 ms on SQLite. */
async function createPlanUse<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('plan_use')
    .addColumn('resource', 'text', (column) => column.primaryKey().notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into plan_use (resource, used)
    values ('products', 0), ('licenses', 0), ('activations', 0), ('webhooks', 0)`.execute(db);
}

/** The most recent failed requests of the integration API, shown to the developer. */
async function createFailedRequests<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('failed_requests')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('occurred_at', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text')
    .execute();
}

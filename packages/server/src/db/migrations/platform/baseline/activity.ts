import type { Kysely } from 'kysely';
import { index, oneOf, primaryKey } from '../../schema.ts';

const counters = [
  'validations',
  'activations',
  'integration_requests',
  'errors',
  'rate_limit_rejections',
  'webhook_attempts_succeeded',
  'webhook_attempts_failed',
];

/** Creates the tables of tenants' activity, counted per hour and per day. */
export async function createActivityTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createActivityPoints(db);
  await createApiKeyRequests(db);
  await createRateLimitedTenants(db);
}

async function createActivityPoints<Tables>(db: Kysely<Tables>): Promise<void> {
  let table = db.schema
    .createTable('activity_points')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('bucket_start', 'text', (column) => column.notNull());
  for (const counter of counters) table = table.addColumn(counter, 'bigint', (column) => column.notNull());
  await table
    .$call(primaryKey('activity_points', ['scope', 'interval', 'bucket_start']))
    .addCheckConstraint('activity_points_interval_known', oneOf('interval', ['hour', 'day']))
    .execute();
  await index(db, 'activity_points', ['interval', 'bucket_start', 'scope']);
}

async function createApiKeyRequests<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('api_key_requests')
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('api_key_requests_pkey', ['day', 'tenant_id', 'key_id'])
    .execute();
  await index(db, 'api_key_requests', ['day', 'tenant_id', 'requests', 'key_id']);
}

async function createRateLimitedTenants<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('rate_limited_tenants')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_created_at', 'text', (column) => column.notNull())
    .addColumn('last_rejected_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'rate_limited_tenants', ['last_rejected_at', 'tenant_id', 'tenant_created_at']);
}

import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex, uniqueIndex } from '../../schema.ts';

/** Creates the tables of webhook endpoints, events, deliveries and delivery attempts. */
export async function createWebhookTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createEndpoints(db);
  await createEvents(db);
  await createDeliveries(db);
  await createAttempts(db);
}

async function createEndpoints<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('webhook_endpoints')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('events_json', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('disabled_reason', 'text')
    .addColumn('sealed_secrets', 'text', (column) => column.notNull())
    .addColumn('failed_deliveries', 'integer', (column) => column.notNull())
    .addColumn('failing_since', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('deleted_at', 'text')
    .addCheckConstraint('webhook_endpoints_status_known', oneOf('status', ['enabled', 'disabled']))
    .addCheckConstraint(
      'webhook_endpoints_disabled_reason_known',
      oneOf('disabled_reason', ['requested', 'gone', 'failing']),
    )
    .execute();
  const isNotDeleted = sql<SqlBool>`deleted_at is null`;
  await partialIndex(db, 'webhook_endpoints_existing', 'webhook_endpoints', ['created_at', 'id'], isNotDeleted);
  const byStatus = ['status', 'created_at', 'id'];
  await partialIndex(db, 'webhook_endpoints_existing_by_status', 'webhook_endpoints', byStatus, isNotDeleted);
}

async function createEvents<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('occurred_at', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('data_json', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'events', ['occurred_at', 'id']);
}

async function createDeliveries<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhook_endpoints.id'))
    .addColumn('event_id', 'text', (column) => column.notNull().references('events.id'))
    .addColumn('event_type', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('failure_reason', 'text')
    .addColumn('scheduled_attempts', 'integer', (column) => column.notNull())
    .addColumn('next_trigger', 'text', (column) => column.notNull())
    .addColumn('next_attempt_at', 'text')
    .addColumn('resume_at', 'text')
    .addColumn('claimable_at', 'text')
    .addColumn('lease_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('webhook_deliveries_status_known', oneOf('status', ['pending', 'succeeded', 'failed']))
    .addCheckConstraint(
      'webhook_deliveries_failure_reason_known',
      oneOf('failure_reason', ['attempts_exhausted', 'endpoint_disabled', 'endpoint_deleted']),
    )
    .addCheckConstraint('webhook_deliveries_next_trigger_known', oneOf('next_trigger', ['schedule', 'manual']))
    .execute();
  await uniqueIndex(db, 'webhook_deliveries', ['event_id', 'webhook_id']);
  await index(db, 'webhook_deliveries', ['created_at', 'id']);
  await index(db, 'webhook_deliveries', ['webhook_id', 'created_at', 'id']);
  await index(db, 'webhook_deliveries', ['webhook_id', 'status', 'created_at', 'id']);
  await index(db, 'webhook_deliveries', ['status', 'created_at', 'id']);
  await index(db, 'webhook_deliveries', ['event_type', 'created_at', 'id']);
  // Due deliveries are found per endpoint, so that one with a long queue does not delay the others.
  const isClaimable = sql<SqlBool>`claimable_at is not null`;
  const claimOrder = ['webhook_id', 'claimable_at'];
  await partialIndex(db, 'webhook_deliveries_claimable', 'webhook_deliveries', claimOrder, isClaimable);
}

async function createAttempts<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('webhook_attempts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('delivery_id', 'text', (column) =>
      column.notNull().references('webhook_deliveries.id').onDelete('cascade'),
    )
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('trigger', 'text', (column) => column.notNull())
    .addColumn('response_status', 'integer')
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('response_body', 'text')
    .addCheckConstraint('webhook_attempts_trigger_known', oneOf('trigger', ['schedule', 'manual']))
    .execute();
  await index(db, 'webhook_attempts', ['delivery_id', 'at', 'id']);
}

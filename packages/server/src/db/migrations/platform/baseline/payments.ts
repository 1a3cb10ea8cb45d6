import type { Kysely } from 'kysely';
import { index, oneOf, uniqueIndex } from '../../schema.ts';

/** Creates the tables of the payment providers' events, and of the sandbox, a built-in provider that moves no money. */
export async function createPaymentTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createPaymentEvents(db);
  await createSandboxObjects(db);
  await createSandboxEvents(db);
}

async function createPaymentEvents<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('payment_events')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('provider_event_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('provider_subscription_id', 'text')
    .addColumn('checkout_reference', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('received_at', 'text', (column) => column.notNull())
    .addColumn('replayed_at', 'text')
    .addCheckConstraint('payment_events_provider_known', oneOf('provider', ['stripe', 'sandbox']))
    .execute();
  await uniqueIndex(db, 'payment_events', ['provider', 'provider_event_id']);
  await index(db, 'payment_events', ['received_at', 'id']);
  await index(db, 'payment_events', ['type', 'received_at', 'id']);
  await index(db, 'payment_events', ['provider_subscription_id', 'received_at', 'id']);
}

async function createSandboxObjects<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sandbox_clock')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('offset_ms', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('sandbox_checkouts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('terms_json', 'text', (column) => column.notNull())
    .addColumn('customer_id', 'text')
    .addColumn('subscription_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('due_at', 'text')
    .addCheckConstraint('sandbox_checkouts_status_known', oneOf('status', ['open', 'complete', 'expired']))
    .execute();
  await uniqueIndex(db, 'sandbox_checkouts', ['reference']);
  await index(db, 'sandbox_checkouts', ['due_at']);
  await db.schema
    .createTable('sandbox_accounts')
    .addColumn('customer_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('state_json', 'text', (column) => column.notNull())
    .addColumn('due_at', 'text')
    .execute();
  await uniqueIndex(db, 'sandbox_accounts', ['subscription_id']);
  await index(db, 'sandbox_accounts', ['due_at']);
  await db.schema
    .createTable('sandbox_invoices')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('customer_id', 'text', (column) => column.notNull().references('sandbox_accounts.customer_id'))
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('state_json', 'text', (column) => column.notNull())
    .addColumn('position', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'sandbox_invoices', ['customer_id', 'status']);
  await index(db, 'sandbox_invoices', ['subscription_id', 'position']);
}

async function createSandboxEvents<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sandbox_events')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('due_at', 'text')
    .execute();
  await index(db, 'sandbox_events', ['due_at']);
  await index(db, 'sandbox_events', ['created_at']);
  await db.schema
    .createTable('sandbox_requests')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'sandbox_requests', ['created_at']);
}

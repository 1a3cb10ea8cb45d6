import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex, uniqueIndex } from '../schema.ts';

const providers = ['stripe', 'sandbox'];

async function extendSubscriptions(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('subscriptions').addColumn('next_check_at', 'text').execute();
  await db.schema.alterTable('subscriptions').addColumn('synced_at', 'text').execute();
  await db.schema.alterTable('subscriptions').addColumn('change_number', 'bigint').execute();
  await db.schema.alterTable('subscriptions').addColumn('ended_at', 'text').execute();
  const isLive = sql<SqlBool>`next_check_at is not null`;
  await partialIndex(db, 'subscriptions_next_check', 'subscriptions', ['next_check_at'], isLive);
  await partialIndex(db, 'subscriptions_live_synced', 'subscriptions', ['synced_at'], isLive);
  const isOverdue = sql<SqlBool>`past_due_since is not null`;
  await partialIndex(db, 'subscriptions_past_due_since', 'subscriptions', ['past_due_since', 'id'], isOverdue);
  const isPending = sql<SqlBool>`pending_plan_code is not null`;
  await partialIndex(db, 'subscriptions_pending_plan', 'subscriptions', ['pending_plan_code'], isPending);
  await index(db, 'subscriptions', ['plan_code', 'status', 'created_at', 'id']);
  // What the overview sums up, without the rows themselves.
  await index(db, 'subscriptions', ['status', 'currency', 'plan_code', 'interval', 'amount']);
  const isOver = sql<SqlBool>`ended_at is not null`;
  await partialIndex(db, 'subscriptions_ended', 'subscriptions', ['ended_at', 'currency'], isOver);
  await index(db, 'invoices', ['tenant_id', 'status', 'created_at', 'id']);
  await db.schema.alterTable('invoices').addColumn('seller_json', 'text').execute();
}

async function extendPlans(db: Kysely<unknown>): Promise<void> {
  await index(db, 'plans', ['catalog_product_id', 'created_at', 'id']);
  const columns = ['created_at', 'id'];
  await partialIndex(db, 'plans_offered', 'plans', columns, sql<SqlBool>`archived_at is null`);
  await partialIndex(db, 'plans_archived', 'plans', columns, sql<SqlBool>`archived_at is not null`);
}

async function createWork(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('subscription_reads')
    .addColumn('provider_subscription_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('last_begun', 'bigint', (column) => column.notNull())
    .addColumn('last_written', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('dunning_notices')
    .addColumn('subscription_id', 'text', (column) => column.notNull().references('subscriptions.id'))
    .addColumn('past_due_since', 'text', (column) => column.notNull())
    .addColumn('stage', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('dunning_notices_pkey', ['subscription_id', 'past_due_since', 'stage'] as never)
    .execute();
  await db.schema
    .createTable('orphan_subscriptions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('provider_subscription_id', 'text', (column) => column.notNull())
    .addColumn('provider_customer_id', 'text', (column) => column.notNull())
    .addColumn('reference', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('plan_code', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('orphan_subscriptions_provider_known', oneOf('provider', providers))
    .addCheckConstraint('orphan_subscriptions_reason_known', oneOf('reason', ['no_tenant', 'unknown_plan']))
    .execute();
  await uniqueIndex(db, 'orphan_subscriptions', ['provider', 'provider_subscription_id']);
  await index(db, 'orphan_subscriptions', ['created_at', 'id']);
}

async function createCheckouts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('billing_checkouts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('provider_checkout_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('plan_code', 'text', (column) => column.notNull())
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('billing_checkouts_status_known', oneOf('status', ['open', 'complete', 'expired']))
    .execute();
  await db.schema
    .createIndex('billing_checkouts_open')
    .unique()
    .on('billing_checkouts')
    .columns(['tenant_id'])
    .where(sql<SqlBool>`status = 'open'`)
    .execute();
  await db.schema.alterTable('billing_credits').addColumn('reference', 'text').execute();
  await db.schema.alterTable('billing_credits').addColumn('applied_at', 'text').execute();
  await uniqueIndex(db, 'billing_credits', ['tenant_id', 'reference']);
}

/** What the work on subscriptions remembers, and indexes for its lists. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await extendSubscriptions(db);
  await extendPlans(db);
  await createWork(db);
  await createCheckouts(db);
}

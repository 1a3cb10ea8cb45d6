import { type Kysely, type SqlBool, sql } from 'kysely';
import { flag, index, oneOf, partialIndex, primaryKey, uniqueIndex } from '../../schema.ts';

const providers = ['stripe', 'sandbox'];
const intervals = ['month', 'year'];

/** Creates the tables of customers, subscriptions, invoices and credits, copied from the payment provider. */
export async function createBillingTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createCustomers(db);
  await createSubscriptions(db);
  await indexSubscriptions(db);
  await createSubscriptionReads(db);
  await createOrphanSubscriptions(db);
  await createInvoices(db);
  await createInvoiceNumbers(db);
  await createDunningNotices(db);
  await createCredits(db);
  await createCheckouts(db);
}

async function createCustomers<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('billing_customers')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull().references('tenants.id'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('provider_customer_id', 'text', (column) => column.notNull())
    .addColumn('details_json', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('billing_customers_provider_known', oneOf('provider', providers))
    .execute();
  await uniqueIndex(db, 'billing_customers', ['provider', 'provider_customer_id']);
}

async function createSubscriptions<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('subscriptions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('provider_subscription_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('plan_code', 'text', (column) => column.notNull().references('plans.code'))
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('current_period_starts_at', 'text', (column) => column.notNull())
    .addColumn('current_period_ends_at', 'text', (column) => column.notNull())
    .addColumn('trial_ends_at', 'text')
    .addColumn('cancel_at_period_end', 'integer', (column) => column.notNull())
    .addColumn('canceled_at', 'text')
    .addColumn('pending_plan_code', 'text')
    .addColumn('pending_interval', 'text')
    .addColumn('pending_amount', 'bigint')
    .addColumn('pending_at', 'text')
    .addColumn('past_due_since', 'text')
    .addColumn('grace_ends_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('next_check_at', 'text')
    .addColumn('synced_at', 'text')
    .addColumn('change_number', 'bigint')
    .addColumn('ended_at', 'text')
    .addCheckConstraint('subscriptions_provider_known', oneOf('provider', providers))
    .addCheckConstraint('subscriptions_interval_known', oneOf('interval', intervals))
    .addCheckConstraint('subscriptions_cancel_at_period_end_flag', flag('cancel_at_period_end'))
    .addCheckConstraint(
      'subscriptions_status_known',
      oneOf('status', [
        'incomplete',
        'incomplete_expired',
        'trialing',
        'active',
        'past_due',
        'unpaid',
        'paused',
        'canceled',
      ]),
    )
    .execute();
}

async function indexSubscriptions<Tables>(db: Kysely<Tables>): Promise<void> {
  await uniqueIndex(db, 'subscriptions', ['provider', 'provider_subscription_id']);
  await index(db, 'subscriptions', ['created_at', 'id']);
  await index(db, 'subscriptions', ['tenant_id', 'created_at', 'id']);
  await index(db, 'subscriptions', ['status', 'created_at', 'id']);
  await index(db, 'subscriptions', ['plan_code', 'created_at', 'id']);
  const isOverdue = sql<SqlBool>`past_due_since is not null`;
  await partialIndex(db, 'subscriptions_overdue', 'subscriptions', ['grace_ends_at'], isOverdue);
  // Covering: the overview sums up the subscriptions without reading the rows.
  await index(db, 'subscriptions', ['status', 'currency', 'interval', 'amount']);
  const isLive = sql<SqlBool>`next_check_at is not null`;
  await partialIndex(db, 'subscriptions_next_check', 'subscriptions', ['next_check_at'], isLive);
  await partialIndex(db, 'subscriptions_live_synced', 'subscriptions', ['synced_at'], isLive);
  await partialIndex(db, 'subscriptions_past_due_since', 'subscriptions', ['past_due_since', 'id'], isOverdue);
  const isPending = sql<SqlBool>`pending_plan_code is not null`;
  await partialIndex(db, 'subscriptions_pending_plan', 'subscriptions', ['pending_plan_code'], isPending);
  await index(db, 'subscriptions', ['plan_code', 'status', 'created_at', 'id']);
  // Covering, as above.
  await index(db, 'subscriptions', ['status', 'currency', 'plan_code', 'interval', 'amount']);
  const hasEnded = sql<SqlBool>`ended_at is not null`;
  await partialIndex(db, 'subscriptions_ended', 'subscriptions', ['ended_at', 'currency'], hasEnded);
}

async function createSubscriptionReads<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('subscription_reads')
    .addColumn('provider_subscription_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('last_begun', 'bigint', (column) => column.notNull())
    .addColumn('last_written', 'bigint', (column) => column.notNull())
    .execute();
}

async function createOrphanSubscriptions<Tables>(db: Kysely<Tables>): Promise<void> {
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

async function createInvoices<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('invoices')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('subscription_id', 'text', (column) => column.references('subscriptions.id'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('provider_invoice_id', 'text', (column) => column.notNull())
    .addColumn('number', 'bigint')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('subtotal', 'bigint', (column) => column.notNull())
    .addColumn('tax', 'bigint', (column) => column.notNull())
    .addColumn('total', 'bigint', (column) => column.notNull())
    .addColumn('amount_due', 'bigint', (column) => column.notNull())
    .addColumn('amount_paid', 'bigint', (column) => column.notNull())
    .addColumn('lines_json', 'text', (column) => column.notNull())
    .addColumn('customer_json', 'text')
    .addColumn('payment_url', 'text')
    .addColumn('attempt_count', 'bigint', (column) => column.notNull())
    .addColumn('next_attempt_at', 'text')
    .addColumn('due_at', 'text')
    .addColumn('finalized_at', 'text')
    .addColumn('paid_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('seller_json', 'text')
    .addCheckConstraint('invoices_provider_known', oneOf('provider', providers))
    .addCheckConstraint('invoices_status_known', oneOf('status', ['draft', 'open', 'paid', 'void', 'uncollectible']))
    .execute();
  await uniqueIndex(db, 'invoices', ['provider', 'provider_invoice_id']);
  await uniqueIndex(db, 'invoices', ['tenant_id', 'number']);
  await index(db, 'invoices', ['created_at', 'id']);
  await index(db, 'invoices', ['tenant_id', 'created_at', 'id']);
  await index(db, 'invoices', ['status', 'created_at', 'id']);
  await index(db, 'invoices', ['subscription_id']);
  await index(db, 'invoices', ['tenant_id', 'status', 'created_at', 'id']);
}

async function createInvoiceNumbers<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('invoice_numbers')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull().references('tenants.id'))
    .addColumn('last_number', 'bigint', (column) => column.notNull())
    .execute();
}

async function createDunningNotices<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('dunning_notices')
    .addColumn('subscription_id', 'text', (column) => column.notNull().references('subscriptions.id'))
    .addColumn('past_due_since', 'text', (column) => column.notNull())
    .addColumn('stage', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .$call(primaryKey('dunning_notices', ['subscription_id', 'past_due_since', 'stage']))
    .execute();
}

async function createCredits<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('billing_credits')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('admin_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('reference', 'text')
    .addColumn('applied_at', 'text')
    .execute();
  await index(db, 'billing_credits', ['tenant_id', 'created_at', 'id']);
  await uniqueIndex(db, 'billing_credits', ['tenant_id', 'reference']);
}

async function createCheckouts<Tables>(db: Kysely<Tables>): Promise<void> {
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
}

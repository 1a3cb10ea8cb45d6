import { type Kysely, type SqlBool, sql } from 'kysely';
import { flag, index, oneOf, partialIndex, uniqueIndex } from '../schema.ts';

const providers = ['stripe', 'sandbox'];
const intervals = ['month', 'year'];

async function createCatalog(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('catalog_products')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'catalog_products', ['code']);
  await index(db, 'catalog_products', ['created_at', 'id']);
  await db.schema
    .alterTable('plans')
    .addColumn('catalog_product_id', 'text', (column) => column.references('catalog_products.id'))
    .execute();
  await db.schema.alterTable('plans').addColumn('archived_at', 'text').execute();
  await index(db, 'plans', ['created_at', 'id']);
  await index(db, 'plans', ['catalog_product_id']);
  await db.schema
    .createTable('plan_prices')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('plan_id', 'text', (column) => column.notNull().references('plans.id'))
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('plan_prices_interval_known', oneOf('interval', intervals))
    .execute();
  await uniqueIndex(db, 'plan_prices', ['plan_id', 'interval', 'currency']);
}

async function createCustomers(db: Kysely<unknown>): Promise<void> {
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

async function createSubscriptions(db: Kysely<unknown>): Promise<void> {
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
    .addCheckConstraint('subscriptions_provider_known', oneOf('provider', providers))
    .addCheckConstraint('subscriptions_interval_known', oneOf('interval', intervals))
    .addCheckConstraint('subscriptions_cancel_at_period_end_flag', flag('cancel_at_period_end'))
    .addCheckConstraint(
      'subscriptions_status_known',
      oneOf('status', [
        ...['incomplete', 'incomplete_expired', 'trialing', 'active'],
        ...['past_due', 'unpaid', 'paused', 'canceled'],
      ]),
    )
    .execute();
  await uniqueIndex(db, 'subscriptions', ['provider', 'provider_subscription_id']);
  await index(db, 'subscriptions', ['created_at', 'id']);
  await index(db, 'subscriptions', ['tenant_id', 'created_at', 'id']);
  await index(db, 'subscriptions', ['status', 'created_at', 'id']);
  await index(db, 'subscriptions', ['plan_code', 'created_at', 'id']);
  await partialIndex(
    db,
    'subscriptions_overdue',
    'subscriptions',
    ['grace_ends_at'],
    sql<SqlBool>`past_due_since is not null`,
  );
}

async function createInvoices(db: Kysely<unknown>): Promise<void> {
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
    .addCheckConstraint('invoices_provider_known', oneOf('provider', providers))
    .addCheckConstraint('invoices_status_known', oneOf('status', ['draft', 'open', 'paid', 'void', 'uncollectible']))
    .execute();
  await uniqueIndex(db, 'invoices', ['provider', 'provider_invoice_id']);
  await uniqueIndex(db, 'invoices', ['tenant_id', 'number']);
  await index(db, 'invoices', ['created_at', 'id']);
  await index(db, 'invoices', ['tenant_id', 'created_at', 'id']);
  await index(db, 'invoices', ['status', 'created_at', 'id']);
  await index(db, 'invoices', ['subscription_id']);
  await db.schema
    .createTable('invoice_numbers')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull().references('tenants.id'))
    .addColumn('last_number', 'bigint', (column) => column.notNull())
    .execute();
}

async function createCredits(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('billing_credits')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('admin_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'billing_credits', ['tenant_id', 'created_at', 'id']);
}

/** What is sold, and copies of what tenants bought at the payment provider. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCatalog(db);
  await createCustomers(db);
  await createSubscriptions(db);
  await createInvoices(db);
  await createCredits(db);
  // Why a tenant is suspended: a payment restores only what a missing payment stopped.
  await db.schema.alterTable('tenants').addColumn('suspended_for', 'text').execute();
}

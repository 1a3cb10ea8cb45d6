import { type Kysely, type SqlBool, sql } from 'kysely';
import { flag, index, oneOf, partialIndex, uniqueIndex } from '../schema.ts';

const providers = ['stripe', 'sandbox'];
const durations = ['once', 'repeating', 'forever'];

/**
 * Creates the tables of coupons, refunds and credit notes, and adds trials, discounts and taxes to prices, subscriptions
 * and invoices. The new columns have defaults, because an earlier version inserts rows without them.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await addColumns(db);
  await createCoupons(db);
  await createRefunds(db);
  await createCreditNotes(db);
}

async function addColumns<Tables>(db: Kysely<Tables>): Promise<void> {
  const add = (table: string) => db.schema.alterTable(table);
  await add('plan_prices')
    .addColumn('trial_days', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await add('subscriptions')
    .addColumn('has_payment_method', 'integer', (column) =>
      column.notNull().defaultTo(1).check(flag('has_payment_method')),
    )
    .execute();
  await add('subscriptions').addColumn('coupon_code', 'text').execute();
  await add('subscriptions').addColumn('discount_basis_points', 'integer').execute();
  await add('subscriptions').addColumn('discount_amount', 'bigint').execute();
  await add('subscriptions').addColumn('discount_duration', 'text').execute();
  await add('subscriptions').addColumn('discount_ends_at', 'text').execute();
  await add('invoices')
    .addColumn('collection_method', 'text', (column) =>
      column
        .notNull()
        .defaultTo('charge')
        .check(oneOf('collection_method', ['charge', 'send'])),
    )
    .execute();
  await add('invoices')
    .addColumn('discount', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await add('invoices').addColumn('coupon_code', 'text').execute();
  await add('invoices')
    .addColumn('taxes_json', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  await add('invoices')
    .addColumn('amount_refunded', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await add('invoices').addColumn('sent_at', 'text').execute();
  await add('invoices').addColumn('reminded_at', 'text').execute();
  await add('payment_events').addColumn('provider_invoice_id', 'text').execute();
}

async function createCoupons<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('coupons')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('percent_off_basis_points', 'integer')
    .addColumn('amount_off', 'bigint')
    .addColumn('currency', 'text')
    .addColumn('duration', 'text', (column) => column.notNull())
    .addColumn('duration_months', 'integer')
    .addColumn('expires_at', 'text')
    .addColumn('max_redemptions', 'bigint')
    .addColumn('redemptions', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('archived_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('coupons_duration_known', oneOf('duration', durations))
    .addCheckConstraint(
      'coupons_one_value',
      sql<SqlBool>`(percent_off_basis_points is null) <> (amount_off is null) and (amount_off is null) = (currency is null)`,
    )
    .execute();
  await uniqueIndex(db, 'coupons', ['code']);
  await index(db, 'coupons', ['created_at', 'id']);
}

async function createRefunds<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('refunds')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('invoice_id', 'text', (column) => column.notNull().references('invoices.id').onDelete('cascade'))
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('failure', 'text')
    .addColumn('admin_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('refunds_amount_positive', sql<SqlBool>`amount > 0`)
    .addCheckConstraint('refunds_status_known', oneOf('status', ['pending', 'succeeded', 'failed']))
    .execute();
  await index(db, 'refunds', ['invoice_id', 'created_at', 'id']);
  const isPending = sql<SqlBool>`status = 'pending'`;
  await partialIndex(db, 'refunds_pending', 'refunds', ['created_at', 'id'], isPending);
}

async function createCreditNotes<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('credit_notes')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id').onDelete('cascade'))
    .addColumn('invoice_id', 'text', (column) => column.notNull().references('invoices.id').onDelete('cascade'))
    .addColumn('refund_id', 'text')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('provider_credit_note_id', 'text', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('tax', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('credit_notes_provider_known', oneOf('provider', providers))
    .execute();
  await uniqueIndex(db, 'credit_notes', ['provider', 'provider_credit_note_id']);
  await uniqueIndex(db, 'credit_notes', ['tenant_id', 'number']);
  await index(db, 'credit_notes', ['invoice_id', 'created_at', 'id']);
  await db.schema
    .createTable('credit_note_numbers')
    .addColumn('tenant_id', 'text', (column) =>
      column.primaryKey().notNull().references('tenants.id').onDelete('cascade'),
    )
    .addColumn('last_number', 'bigint', (column) => column.notNull())
    .execute();
}

import { type Kysely, type SqlBool, sql } from 'kysely';
import { partialIndex, primaryKey } from '../schema.ts';

/**
 * Adds the trial of a checkout, the reminders of trials, the time of a coupon's last sync and the indexes of the list of
 * coupons. One covering index with the discounts replaces the two with which the revenue was summed up; an earlier version still finds its rows by status.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const table of ['onboarding_checkouts', 'billing_checkouts']) {
    const alter = db.schema.alterTable(table);
    await alter.addColumn('trial_days', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  }
  await db.schema.alterTable('coupons').addColumn('synced_at', 'text').execute();
  const newestFirst = ['created_at', 'id'];
  await partialIndex(db, 'coupons_offered', 'coupons', newestFirst, sql<SqlBool>`archived_at is null`);
  await partialIndex(db, 'coupons_archived', 'coupons', newestFirst, sql<SqlBool>`archived_at is not null`);
  await createTrialReminders(db);
  await replaceRevenueIndexes(db);
}

async function createTrialReminders<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('trial_reminders')
    .addColumn('subscription_id', 'text', (column) =>
      column.notNull().references('subscriptions.id').onDelete('cascade'),
    )
    .addColumn('trial_ends_at', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .$call(primaryKey('trial_reminders', ['subscription_id', 'trial_ends_at']))
    .execute();
}

async function replaceRevenueIndexes<Tables>(db: Kysely<Tables>): Promise<void> {
  const discount = ['discount_duration', 'discount_basis_points', 'discount_amount'];
  await db.schema
    .createIndex('subscriptions_revenue')
    .on('subscriptions')
    .columns(['status', 'currency', 'plan_code', 'interval', 'amount', ...discount])
    .execute();
  await db.schema.dropIndex('subscriptions_status_currency_interval_amount').execute();
  await db.schema.dropIndex('subscriptions_status_currency_plan_code_interval_amount').execute();
}

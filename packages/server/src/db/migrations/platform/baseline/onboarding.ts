import type { Kysely } from 'kysely';
import { index, oneOf, uniqueIndex } from '../../schema.ts';

/** Creates the table of purchases in progress. Each row becomes a tenant when it is paid. */
export async function createOnboardingTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('onboarding_checkouts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('plan_code', 'text', (column) => column.notNull().references('plans.code'))
    .addColumn('plan_name', 'text', (column) => column.notNull())
    .addColumn('interval', 'text')
    .addColumn('currency', 'text')
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('tenant_name', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('provider', 'text')
    .addColumn('provider_checkout_id', 'text')
    .addColumn('checkout_url', 'text')
    .addColumn('provider_customer_id', 'text')
    .addColumn('provider_subscription_id', 'text')
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('placement_json', 'text')
    .addColumn('steps_json', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('onboarding_checkouts_interval_known', oneOf('interval', ['month', 'year']))
    .addCheckConstraint('onboarding_checkouts_provider_known', oneOf('provider', ['stripe', 'sandbox']))
    .addCheckConstraint(
      'onboarding_checkouts_status_known',
      oneOf('status', ['pending', 'paid', 'provisioning', 'completed', 'failed', 'expired', 'canceled']),
    )
    .execute();
  await uniqueIndex(db, 'onboarding_checkouts', ['tenant_id']);
  await uniqueIndex(db, 'onboarding_checkouts', ['provider', 'provider_checkout_id']);
  await index(db, 'onboarding_checkouts', ['user_id', 'created_at', 'id']);
  await index(db, 'onboarding_checkouts', ['user_id', 'status', 'created_at', 'id']);
}

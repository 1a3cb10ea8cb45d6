import { type Kysely, sql } from 'kysely';
import { index, oneOf } from '../../schema.ts';

/** Creates the tables of usage: totals per license, entitlement and period, and the keys of counted events. */
export async function createUsageTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('usage_totals')
    .addColumn('license_id', 'text', (column) => column.notNull().references('licenses.id'))
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('entitlement_code', 'text', (column) => column.notNull())
    .addColumn('quantity', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_totals_pkey', ['license_id', 'entitlement_code', 'interval', 'period'])
    .addCheckConstraint(
      'usage_totals_interval_known',
      oneOf('interval', ['hour', 'day', 'week', 'month', 'year', 'none']),
    )
    .addCheckConstraint('usage_totals_quantity_positive', sql`quantity > 0`)
    .execute();
  // One index for each filter of the list of totals, which is ordered by period, license and code.
  await index(db, 'usage_totals', ['interval', 'period', 'license_id', 'entitlement_code']);
  await index(db, 'usage_totals', ['entitlement_code', 'interval', 'period', 'license_id']);
  await index(db, 'usage_totals', ['license_id', 'interval', 'period', 'entitlement_code']);
  await db.schema
    .createTable('usage_events')
    .addColumn('license_id', 'text', (column) => column.notNull().references('licenses.id'))
    .addColumn('idempotency_key', 'text', (column) => column.notNull())
    .addColumn('recorded_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_events_pkey', ['license_id', 'idempotency_key'])
    .execute();
  await index(db, 'usage_events', ['recorded_at']);
}

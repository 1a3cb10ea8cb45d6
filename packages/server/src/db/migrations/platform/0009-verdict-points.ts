import type { Kysely } from 'kysely';
import { index, oneOf, primaryKey } from '../schema.ts';

/** Creates the table of tenants' validations, counted by the code of the verdict per hour and per day. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('verdict_points')
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('bucket_start', 'text', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('validations', 'bigint', (column) => column.notNull())
    .$call(primaryKey('verdict_points', ['tenant_id', 'interval', 'bucket_start', 'code']))
    .addCheckConstraint('verdict_points_interval_known', oneOf('interval', ['hour', 'day']))
    .execute();
  // Finds the points that are older than the retention.
  await index(db, 'verdict_points', ['interval', 'bucket_start', 'tenant_id', 'code']);
}

import type { Kysely } from 'kysely';
import { flag } from '../schema.ts';

/** Creates the table of the sandbox's coupons. Versions without it have no coupons. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sandbox_coupons')
    .addColumn('code', 'text', (column) => column.primaryKey().notNull())
    .addColumn('coupon_json', 'text', (column) => column.notNull())
    .addColumn('is_active', 'integer', (column) => column.notNull().check(flag('is_active')))
    .addColumn('redemptions', 'bigint', (column) => column.notNull())
    .addColumn('max_redemptions', 'bigint')
    .addColumn('expires_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
}

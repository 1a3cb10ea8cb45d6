import { type Kysely, sql } from 'kysely';

/**
 * How many there are of what plans limit: counting a million licenses takes 65 ms on the embedded engine, and a
 * creation may not. Nodes of the former version do not count while an update goes on; the daily recount makes it good.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('plan_use')
    .addColumn('resource', 'text', (column) => column.primaryKey().notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .execute();
  await sql`
    insert into plan_use (resource, used)
    select 'products', count(*) from products
    union all select 'licenses', count(*) from licenses where deleted_at is null
    union all select 'activations', count(*) from activations where released_at is null
    union all select 'webhooks', count(*) from webhook_endpoints where deleted_at is null
  `.execute(db);
}

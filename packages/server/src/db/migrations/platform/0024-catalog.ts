import { type Kysely, type SqlBool, sql } from 'kysely';
import { partialIndex, uniqueIndex } from '../schema.ts';

/**
 * Adds API keys that work for one product only, and test tenants, which belong to a live one. An earlier version
 * ignores both: keys should be bound once every node runs this one.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('product_id', 'text').execute();
  await db.schema.alterTable('tenants').addColumn('live_tenant_id', 'text').execute();
  // At most one for each live tenant.
  await uniqueIndex(db, 'tenants', ['live_tenant_id'], 'closed_at');
  await partialIndex(db, 'tenants_live_status', 'tenants', ['status'], sql<SqlBool>`live_tenant_id is null`);
}

import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex, uniqueIndex } from '../schema.ts';

/**
 * Creates the table of the access tokens that belong to tenants, and adds the creator of the access token that acted to
 * the audit log. The rows of a tenant go with it even if a version that does not know the table purges it.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  const table = 'tenant_access_tokens';
  await db.schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_by_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('last_used_at', 'text')
    .addColumn('revoked_at', 'text')
    .addCheckConstraint('tenant_access_tokens_role_known', oneOf('role', ['admin', 'viewer']))
    .addCheckConstraint('tenant_access_tokens_status_known', oneOf('status', ['active', 'revoked']))
    .execute();
  await uniqueIndex(db, table, ['token_hash']);
  await index(db, table, ['tenant_id', 'created_at', 'id']);
  await index(db, table, ['tenant_id', 'status', 'created_at', 'id']);
  await index(db, table, ['tenant_id', 'created_by_id', 'created_at', 'id']);
  // Counts the active tokens of a tenant, and those of each creator, without reading revoked ones.
  const isActive = sql<SqlBool>`status = 'active'`;
  await partialIndex(db, 'tenant_access_tokens_active', table, ['tenant_id', 'created_by_id', 'expires_at'], isActive);
  // Finds the tokens that a user created when the user's data is exported.
  await index(db, table, ['created_by_id', 'created_at', 'id']);
  await db.schema.alterTable('audit_logs').addColumn('actor_created_by', 'text').execute();
}

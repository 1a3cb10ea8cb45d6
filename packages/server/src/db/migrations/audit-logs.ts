import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex } from './schema.ts';

/** Creates `audit_logs`: the table is the same in the platform database and in each tenant's. */
export async function createAuditLogs<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_logs')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('occurred_at', 'text', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('actor_type', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('resource_type', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('ip', 'text')
    .addColumn('changes_json', 'text', (column) => column.notNull())
    .addCheckConstraint('audit_logs_actor_type_known', oneOf('actor_type', ['user', 'admin', 'api_key', 'system']))
    .execute();
  await index(db, 'audit_logs', ['occurred_at', 'id']);
  await index(db, 'audit_logs', ['resource_id', 'occurred_at', 'id']);
  // One index for each filter.
  for (const column of ['event', 'actor_type', 'resource_type']) {
    await index(db, 'audit_logs', [column, 'occurred_at', 'id']);
  }
  for (const column of ['actor_id', 'request_id']) {
    const isGiven = sql<SqlBool>`${sql.ref(column)} is not null`;
    await partialIndex(db, `audit_logs_${column}`, 'audit_logs', [column, 'occurred_at', 'id'], isGiven);
  }
}

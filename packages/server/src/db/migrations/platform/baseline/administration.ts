import { type Kysely, type SqlBool, sql } from 'kysely';
import { newId } from '../../../../lib/ids.ts';
import { eventGroup } from '../../../dialect.ts';
import type { PlatformTables } from '../../../tables/platform-tables.ts';
import { createAuditLogs, flag, index, partialIndex, uniqueIndex } from '../../schema.ts';

/** Creates the platform's audit log, the log of the billing guard, and the feature flags. */
export async function createAdministrationTables(db: Kysely<PlatformTables>): Promise<void> {
  await createAuditLogs(db);
  await sql`
    create index audit_logs_event_group on audit_logs (${eventGroup(db, 'event')}, occurred_at, id)`.execute(db);
  await partialIndex(db, 'audit_logs_ip', 'audit_logs', ['ip', 'occurred_at', 'id'], sql<SqlBool>`ip is not null`);
  await createBillingAuthorizationLog(db);
  await createFeatureFlags(db);
}

/** No foreign key on `admin_id`: entries are kept after the admin is deleted. */
async function createBillingAuthorizationLog(db: Kysely<PlatformTables>): Promise<void> {
  const table = 'billing_authorization_log';
  await db.schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('occurred_at', 'text', (column) => column.notNull())
    .addColumn('admin_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('allowed', 'integer', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addCheckConstraint('billing_authorization_log_allowed_flag', flag('allowed'))
    .execute();
  await index(db, table, ['occurred_at', 'id']);
  await index(db, table, ['admin_id', 'occurred_at', 'id']);
  await index(db, table, ['allowed', 'occurred_at', 'id']);
}

/** `feature_flag_set` has one row, whose `revision` changes with every change of a flag. */
async function createFeatureFlags(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('feature_flags')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('definition_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'feature_flags', ['key']);
  await index(db, 'feature_flags', ['created_at', 'id']);
  await db.schema
    .createTable('feature_flag_set')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .execute();
  await db.insertInto('feature_flag_set').values({ id: 1, revision: newId() }).execute();
}

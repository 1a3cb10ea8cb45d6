import { type Kysely, type SqlBool, sql } from 'kysely';
import { eventGroup } from '../../event-group.ts';
import { flag, index, partialIndex } from '../schema.ts';

/** The log of the billing gate, and what answers the filters of the platform's audit log and of the tenants. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createBillingAuthorizationLog(db);
  await sql`
    create index audit_logs_event_group on audit_logs (${eventGroup(db, 'event')}, occurred_at, id)`.execute(db);
  await partialIndex(db, 'audit_logs_ip', 'audit_logs', ['ip', 'occurred_at', 'id'], sql<SqlBool>`ip is not null`);
  await index(db, 'tenants', ['plan_code', 'created_at', 'id']);
  await index(db, 'admins', ['role', 'created_at', 'id']);
}

/** No foreign key: the log outlives the admins in it. */
async function createBillingAuthorizationLog(db: Kysely<unknown>): Promise<void> {
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

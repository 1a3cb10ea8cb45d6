import { type Kysely, type SqlBool, sql } from 'kysely';

/** The tenant's settings: one row, made here with its defaults, so that whoever changes it always finds it to lock. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('settings')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('timezone', 'text', (column) => column.notNull().defaultTo('UTC'))
    .addColumn('support_email', 'text')
    .addColumn('license_key_prefix', 'text')
    .addColumn('expiring_soon_days', 'integer', (column) => column.notNull().defaultTo(14))
    .addColumn('notification_emails_json', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('webhook_event_defaults_json', 'text', (column) => column.notNull().defaultTo('["*"]'))
    .addColumn('retention_audit_days', 'integer', (column) => column.notNull().defaultTo(365))
    .addColumn('retention_usage_days', 'integer', (column) => column.notNull().defaultTo(400))
    .addColumn('retention_deliveries_days', 'integer', (column) => column.notNull().defaultTo(30))
    .addCheckConstraint('settings_one_row', sql<SqlBool>`id = 1`)
    .execute();
  await sql`insert into settings (id) values (1)`.execute(db);
}

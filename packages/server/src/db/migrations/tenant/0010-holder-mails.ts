import { type Kysely, type SqlBool, sql } from 'kysely';
import { flag, index, oneOf, partialIndex, primaryKey, uniqueIndex } from '../schema.ts';

/** The types that a tenant can switch off, at the time of this migration. */
const switchable = [
  'license.issued',
  'license.key_replaced',
  'license.renewed',
  'license.expiring',
  'license.expired',
  'license.suspended',
  'license.reinstated',
  'activation.created',
  'activation.limit_reached',
  'portal.device_released',
];

/** Adds the mails to license holders, their switches, templates and settings. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await createMails(db);
  await createSwitches(db);
  await createSettings(db);
  await db.schema
    .alterTable('settings')
    .addColumn('retention_mails_days', 'integer', (column) => column.notNull().defaultTo(180))
    .execute();
}

async function createMails<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('holder_mails')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('license_id', 'text')
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('is_bulk', 'integer', (column) => column.notNull())
    .addColumn('sealed_values', 'text')
    .addColumn('subject', 'text')
    .addColumn('server', 'text')
    .addColumn('reason', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'text')
    .addColumn('lease_id', 'text')
    .addColumn('useful_until', 'text')
    .addColumn('resent_from', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .addCheckConstraint('holder_mails_state_known', oneOf('state', ['queued', 'sent', 'refused', 'cancelled']))
    .addCheckConstraint('holder_mails_server_known', oneOf('server', ['service', 'own']))
    .addCheckConstraint('holder_mails_bulk_known', flag('is_bulk'))
    .execute();
  await uniqueIndex(db, 'holder_mails', ['event']);
  await index(db, 'holder_mails', ['created_at', 'id']);
  for (const filter of ['license_id', 'recipient', 'state', 'type']) {
    await index(db, 'holder_mails', [filter, 'created_at', 'id']);
  }
  const isQueued = sql<SqlBool>`next_attempt_at is not null`;
  await partialIndex(db, 'holder_mails_due', 'holder_mails', ['is_bulk', 'next_attempt_at', 'id'], isQueued);
}

/**
 * A tenant that has license holders already sends them no mail until somebody switches it on: an upgrade must not write
 * to thousands of people.
 */
async function createSwitches<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('holder_mail_switches')
    .addColumn('product_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('is_on', 'integer', (column) => column.notNull())
    .$call(primaryKey('holder_mail_switches', ['product_id', 'type']))
    .addCheckConstraint('holder_mail_switches_on_known', flag('is_on'))
    .execute();
  for (const type of switchable) {
    await sql`insert into holder_mail_switches (product_id, type, is_on)
      select '', ${sql.lit(type)}, 0 where exists (select 1 from licenses where holder_email is not null)`.execute(db);
  }
}

async function createSettings<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('holder_mail_templates')
    .addColumn('type', 'text', (column) => column.primaryKey().notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('holder_mail_reminders')
    .addColumn('license_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('days', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('holder_mail_settings')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('expiring_days_json', 'text', (column) => column.notNull())
    .addColumn('smtp_host', 'text')
    .addColumn('smtp_port', 'integer')
    .addColumn('smtp_security', 'text')
    .addColumn('smtp_user', 'text')
    .addColumn('sealed_smtp_password', 'text')
    .addColumn('smtp_from', 'text')
    .addColumn('smtp_proved_at', 'text')
    .addCheckConstraint('holder_mail_settings_one_row', sql<SqlBool>`id = 1`)
    .addCheckConstraint('holder_mail_settings_security_known', oneOf('smtp_security', ['implicit', 'starttls']))
    .execute();
  await sql`insert into holder_mail_settings (id, expiring_days_json) values (1, '[30,7,1]')`.execute(db);
}

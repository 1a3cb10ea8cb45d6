import type { Kysely } from 'kysely';
import { flag, index, oneOf, primaryKey } from '../schema.ts';

/**
 * Adds what devices asked about licenses and were told, the refusals because every seat is taken, and notes about
 * customers.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('license_checks')
    .addColumn('license_id', 'text', (column) => column.notNull().references('licenses.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('is_allowed', 'integer', (column) => column.notNull())
    .addColumn('app_version', 'text')
    .addColumn('address', 'text')
    .addColumn('first_at', 'text', (column) => column.notNull())
    .addColumn('last_at', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .$call(primaryKey('license_checks', ['license_id', 'kind', 'fingerprint', 'code']))
    .addCheckConstraint('license_checks_kind_known', oneOf('kind', ['validation', 'activation']))
    .addCheckConstraint('license_checks_is_allowed_flag', flag('is_allowed'))
    .execute();
  await index(db, 'license_checks', ['last_at']);
  await db.schema
    .createTable('license_refusals')
    .addColumn('license_id', 'text', (column) => column.primaryKey().notNull().references('licenses.id'))
    .addColumn('refused_since', 'text')
    .addColumn('reported_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('customer_notes')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email_key', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('author_type', 'text', (column) => column.notNull())
    .addColumn('author_id', 'text', (column) => column.notNull())
    .addColumn('author_created_by', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('customer_notes_author_known', oneOf('author_type', ['user', 'admin']))
    .execute();
  await index(db, 'customer_notes', ['email_key', 'created_at', 'id']);
  await db.schema
    .alterTable('settings')
    .addColumn('retention_checks_days', 'integer', (column) => column.notNull().defaultTo(30))
    .execute();
}

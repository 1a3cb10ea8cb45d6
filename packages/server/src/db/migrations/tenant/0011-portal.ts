import { type Kysely, type SqlBool, sql } from 'kysely';
import { foldedEmail } from '../../dialect.ts';
import { flag, index, oneOf, replaceKnownValues, uniqueIndex } from '../schema.ts';

/**
 * Adds the portal of the holders: how it looks, what holders may do, their logins and sessions, and holders as authors of
 * audit records. An earlier version ignores all of this, and lists the audit records of holders with the others.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await addFields(db);
  await createSettings(db);
  await createLogins(db);
  await replaceKnownValues(db, 'audit_logs', 'actor_type', ['user', 'admin', 'api_key', 'system', 'holder']);
}

async function addFields<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('policies')
    .addColumn('holder_may_replace_key', 'integer', (column) =>
      column.notNull().defaultTo(0).check(flag('holder_may_replace_key')),
    )
    .execute();
  await db.schema.alterTable('products').addColumn('renewal_url', 'text').execute();
  const isPresent = sql<SqlBool>`holder_email is not null and deleted_at is null`;
  await sql`
    create index licenses_folded_holder_email on licenses ((${foldedEmail(db, 'holder_email')}), created_at, id)
    where ${isPresent}`.execute(db);
}

async function createSettings<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('brand')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('display_name', 'text')
    .addColumn('accent_color', 'text')
    .addColumn('support_url', 'text')
    .addColumn('logo_type', 'text')
    .addColumn('logo_base64', 'text')
    .addColumn('logo_hash', 'text')
    .addCheckConstraint('brand_one_row', sql<SqlBool>`id = 1`)
    .addCheckConstraint('brand_logo_type_known', oneOf('logo_type', ['image/png', 'image/webp']))
    .execute();
  await sql`insert into brand (id) values (1)`.execute(db);
  let portal = db.schema
    .createTable('portal_settings')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull());
  for (const permission of ['release_devices', 'replace_key', 'offline_activation']) {
    portal = portal.addColumn(permission, 'integer', (column) => column.notNull().defaultTo(1).check(flag(permission)));
  }
  await portal.addCheckConstraint('portal_settings_one_row', sql<SqlBool>`id = 1`).execute();
  await sql`insert into portal_settings (id) values (1)`.execute(db);
}

async function createLogins<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('portal_logins')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('code_hash', 'text')
    .addColumn('link_hash', 'text')
    .addColumn('tries', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('prepared_at', 'text')
    .addCheckConstraint('portal_logins_kind_known', oneOf('kind', ['holder', 'vendor']))
    .execute();
  await uniqueIndex(db, 'portal_logins', ['link_hash']);
  await index(db, 'portal_logins', ['email', 'created_at', 'id']);
  await index(db, 'portal_logins', ['expires_at', 'id']);
  await index(db, 'portal_logins', ['prepared_at', 'id']);
  await db.schema
    .createTable('portal_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'portal_sessions', ['token_hash']);
  await index(db, 'portal_sessions', ['email']);
  await index(db, 'portal_sessions', ['expires_at', 'id']);
}

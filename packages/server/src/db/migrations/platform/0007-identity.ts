import type { Kysely } from 'kysely';
import { index, oneOf, uniqueIndex } from '../schema.ts';

const abilities = ['tenant', 'admin'];

async function createMailLinks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mail_links')
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_links_pkey', ['user_id', 'purpose'] as never)
    .addCheckConstraint('mail_links_purpose_known', oneOf('purpose', ['verify_email', 'reset_password']))
    .execute();
  await uniqueIndex(db, 'mail_links', ['token_hash']);
  await index(db, 'mail_links', ['expires_at']);
}

async function createTwoFactor(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('two_factor')
    .addColumn('ability', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('sealed_secret', 'text', (column) => column.notNull())
    .addColumn('confirmed_at', 'text')
    .addColumn('last_used_step', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('two_factor_pkey', ['ability', 'subject_id'] as never)
    .addCheckConstraint('two_factor_ability_known', oneOf('ability', abilities))
    .execute();
  await db.schema
    .createTable('recovery_codes')
    .addColumn('ability', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('code_hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_pkey', ['ability', 'subject_id', 'code_hash'] as never)
    .addCheckConstraint('recovery_codes_ability_known', oneOf('ability', abilities))
    .execute();
}

/** Until when a mail is of use to who gets it, and mail that a server refused for good. */
async function extendMails(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('mails').addColumn('useful_until', 'text').execute();
  await db.schema
    .createTable('dead_mails')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('sealed_message', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('useful_until', 'text')
    .addColumn('last_error', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('died_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'dead_mails', ['died_at', 'id']);
}

/** Links that prove a mailbox, two-factor authentication, and mail that outlasts an outage. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createMailLinks(db);
  await createTwoFactor(db);
  await extendMails(db);
}

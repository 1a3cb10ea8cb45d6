import type { Kysely } from 'kysely';
import { index, oneOf, uniqueIndex } from '../schema.ts';

const abilities = ['tenant', 'admin'];

/**
 * Creates the tables of single sign-on, and adds to each login token how its person logged in. The identities of a
 * person go with the account even if a version that does not know the tables deletes it.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await createIdentities(db, 'user_identities', 'user_id', 'users.id');
  await createIdentities(db, 'admin_identities', 'admin_id', 'admins.id');
  await createAttempts(db);
  await createCodes(db);
  // An earlier version inserts tokens without it, of people who entered a password.
  await db.schema
    .alterTable('access_tokens')
    .addColumn('login_method', 'text', (column) =>
      column
        .notNull()
        .defaultTo('password')
        .check(oneOf('login_method', ['password', 'oidc'])),
    )
    .execute();
}

async function createIdentities<Tables>(
  db: Kysely<Tables>,
  table: string,
  owner: string,
  reference: string,
): Promise<void> {
  await db.schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn(owner, 'text', (column) => column.notNull().references(reference).onDelete('cascade'))
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('linked_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, table, ['issuer', 'subject']);
  await uniqueIndex(db, table, [owner, 'issuer']);
}

async function createAttempts<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sign_on_attempts')
    .addColumn('state_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('browser_hash', 'text', (column) => column.notNull())
    .addColumn('ability', 'text', (column) => column.notNull())
    .addColumn('return_to', 'text')
    .addColumn('sealed_checks', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addCheckConstraint('sign_on_attempts_ability_known', oneOf('ability', abilities))
    .execute();
  await index(db, 'sign_on_attempts', ['expires_at']);
}

async function createCodes<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sign_on_codes')
    .addColumn('code_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('browser_hash', 'text', (column) => column.notNull())
    .addColumn('ability', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addCheckConstraint('sign_on_codes_ability_known', oneOf('ability', abilities))
    .execute();
  await index(db, 'sign_on_codes', ['expires_at']);
  await index(db, 'sign_on_codes', ['ability', 'subject_id']);
}

import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex, primaryKey, uniqueIndex } from '../../schema.ts';

const abilities = ['tenant', 'admin'];

/** Creates the tables of access tokens, API keys, links sent by mail, and two-factor authentication. */
export async function createCredentialTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createAccessTokens(db);
  await createApiKeys(db);
  await createMailLinks(db);
  await createTwoFactor(db);
}

async function createAccessTokens<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('ability', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('device_name', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text')
    .addCheckConstraint('access_tokens_ability_known', oneOf('ability', abilities))
    .execute();
  await uniqueIndex(db, 'access_tokens', ['token_hash']);
  await index(db, 'access_tokens', ['ability', 'subject_id']);
  await index(db, 'access_tokens', ['expires_at']);
}

async function createApiKeys<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('key_hash', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('scopes_json', 'text', (column) => column.notNull())
    .addColumn('allowed_cidrs_json', 'text', (column) => column.notNull())
    .addColumn('rate_limit_per_minute', 'bigint')
    .addColumn('created_by_type', 'text', (column) => column.notNull())
    .addColumn('created_by_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('last_used_at', 'text')
    .addColumn('revoked_at', 'text')
    .addCheckConstraint('api_keys_status_known', oneOf('status', ['active', 'revoked']))
    .addCheckConstraint('api_keys_created_by_type_known', oneOf('created_by_type', ['user', 'admin', 'system']))
    .execute();
  await uniqueIndex(db, 'api_keys', ['key_hash']);
  await index(db, 'api_keys', ['tenant_id', 'created_at', 'id']);
  await index(db, 'api_keys', ['tenant_id', 'status', 'created_at', 'id']);
  // Counts the active keys of a tenant without reading its revoked ones.
  const isActive = sql<SqlBool>`status = 'active'`;
  await partialIndex(db, 'api_keys_active', 'api_keys', ['tenant_id', 'expires_at'], isActive);
  // Finds the keys that a user created when the user's data is exported or erased.
  await index(db, 'api_keys', ['created_by_id', 'created_at', 'id']);
}

async function createMailLinks<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('mail_links')
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .$call(primaryKey('mail_links', ['user_id', 'purpose']))
    .addCheckConstraint('mail_links_purpose_known', oneOf('purpose', ['verify_email', 'reset_password']))
    .execute();
  await uniqueIndex(db, 'mail_links', ['token_hash']);
  await index(db, 'mail_links', ['expires_at']);
}

async function createTwoFactor<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('two_factor')
    .addColumn('ability', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('sealed_secret', 'text', (column) => column.notNull())
    .addColumn('confirmed_at', 'text')
    .addColumn('last_used_step', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .$call(primaryKey('two_factor', ['ability', 'subject_id']))
    .addCheckConstraint('two_factor_ability_known', oneOf('ability', abilities))
    .execute();
  await db.schema
    .createTable('recovery_codes')
    .addColumn('ability', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('code_hash', 'text', (column) => column.notNull())
    .$call(primaryKey('recovery_codes', ['ability', 'subject_id', 'code_hash']))
    .addCheckConstraint('recovery_codes_ability_known', oneOf('ability', abilities))
    .execute();
}

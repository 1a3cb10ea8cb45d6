import type { Kysely } from 'kysely';
import { systemClock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { PlatformTables } from '../../tables/platform-tables.ts';
import { createAuditLogs } from '../audit-logs.ts';
import { index, oneOf, uniqueIndex } from '../schema.ts';

const tenantRoles = ['owner', 'admin', 'viewer'];
const adminRoles = ['admin', 'billing_readonly', 'billing_admin', 'super_admin'];

async function createInstance(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('instance')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('app_key_fingerprint', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
}

async function createPlans(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('plans')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('limits_json', 'text', (column) => column.notNull())
    .addColumn('features_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'plans', ['code']);
}

async function createTenants(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('tenants')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('plan_code', 'text', (column) => column.notNull().references('plans.code'))
    .addColumn('limits_json', 'text', (column) => column.notNull())
    .addColumn('placement', 'text', (column) => column.notNull())
    .addColumn('database_name', 'text')
    .addColumn('database_secret', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('closed_at', 'text')
    .addCheckConstraint('tenants_status_known', oneOf('status', ['active', 'suspended', 'closed']))
    .execute();
  await index(db, 'tenants', ['created_at', 'id']);
  await index(db, 'tenants', ['status', 'created_at', 'id']);
}

async function createUsers(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('email_verified_at', 'text')
    .addColumn('disabled_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'users', ['email']);
  await index(db, 'users', ['created_at', 'id']);
}

async function createMemberships(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('memberships')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('memberships_role_known', oneOf('role', tenantRoles))
    .execute();
  await uniqueIndex(db, 'memberships', ['tenant_id', 'user_id']);
  await index(db, 'memberships', ['tenant_id', 'created_at', 'id']);
  await index(db, 'memberships', ['user_id']);
}

async function createAdmins(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('admins')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('disabled_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('admins_role_known', oneOf('role', adminRoles))
    .execute();
  await uniqueIndex(db, 'admins', ['email']);
  await index(db, 'admins', ['created_at', 'id']);
}

async function createAccessTokens(db: Kysely<PlatformTables>): Promise<void> {
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
    .addCheckConstraint('access_tokens_ability_known', oneOf('ability', ['tenant', 'admin']))
    .execute();
  await uniqueIndex(db, 'access_tokens', ['token_hash']);
  await index(db, 'access_tokens', ['ability', 'subject_id']);
  await index(db, 'access_tokens', ['expires_at']);
}

async function createInvitations(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('tenant_id', 'text', (column) => column.references('tenants.id'))
    .addColumn('admin_id', 'text', (column) => column.references('admins.id'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('accepted_at', 'text')
    .addCheckConstraint('invitations_kind_known', oneOf('kind', ['tenant', 'admin']))
    .addCheckConstraint('invitations_role_known', oneOf('role', [...new Set([...tenantRoles, ...adminRoles])]))
    .execute();
  await uniqueIndex(db, 'invitations', ['token_hash']);
  await index(db, 'invitations', ['email']);
  await index(db, 'invitations', ['tenant_id']);
  await index(db, 'invitations', ['admin_id']);
}

async function createApiKeys(db: Kysely<PlatformTables>): Promise<void> {
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
}

async function createAuditOutbox(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('audit_outbox')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('record_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'audit_outbox', ['created_at', 'id']);
  await index(db, 'audit_outbox', ['tenant_id']);
}

async function createMails(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('sealed_message', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('next_attempt_at', 'text', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'mails', ['next_attempt_at']);
}

async function insertFreePlan(db: Kysely<PlatformTables>): Promise<void> {
  const now = systemClock().now();
  const limits = { products: null, licenses: null, activations: null, api_keys: null, webhooks: null, members: null };
  await db
    .insertInto('plans')
    .values({
      id: newId(),
      code: 'free',
      name: 'Free',
      limits_json: JSON.stringify({ ...limits, integration_requests_per_minute: 6000 }),
      features_json: '[]',
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** The first tables of the platform, with the plan `free`. */
export async function up(db: Kysely<PlatformTables>): Promise<void> {
  await createInstance(db);
  await createPlans(db);
  await createTenants(db);
  await createUsers(db);
  await createMemberships(db);
  await createAdmins(db);
  await createAccessTokens(db);
  await createInvitations(db);
  await createApiKeys(db);
  await createAuditLogs(db);
  await createAuditOutbox(db);
  await createMails(db);
  await insertFreePlan(db);
}

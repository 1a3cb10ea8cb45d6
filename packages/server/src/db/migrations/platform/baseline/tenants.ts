import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex, uniqueIndex } from '../../schema.ts';

const tenantRoles = ['owner', 'admin', 'viewer'];
const adminRoles = ['admin', 'billing_readonly', 'billing_admin', 'super_admin'];

/** Creates the tables of tenants, their users and members, and the admins of the installation. */
export async function createTenantTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createInstance(db);
  await createTenants(db);
  await createUsers(db);
  await createMemberships(db);
  await createAdmins(db);
  await createInvitations(db);
}

async function createInstance<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('instance')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('app_key_fingerprint', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
}

async function createTenants<Tables>(db: Kysely<Tables>): Promise<void> {
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
    // Why a tenant is suspended: a payment ends only a suspension for a missing payment.
    .addColumn('suspended_for', 'text')
    .addColumn('move_id', 'text')
    .addColumn('writes_paused_until', 'text')
    .addCheckConstraint('tenants_status_known', oneOf('status', ['active', 'suspended', 'closed']))
    .execute();
  await index(db, 'tenants', ['created_at', 'id']);
  await index(db, 'tenants', ['status', 'created_at', 'id']);
  await index(db, 'tenants', ['plan_code', 'created_at', 'id']);
  // For counting: this index is narrow, while the other index on `status` holds half of the table.
  await index(db, 'tenants', ['status']);
  // The sweep for abandoned moves reads this index; few tenants are being moved at any time.
  const isMoving = sql<SqlBool>`move_id is not null`;
  await partialIndex(db, 'tenants_moving', 'tenants', ['writes_paused_until'], isMoving);
}

async function createUsers<Tables>(db: Kysely<Tables>): Promise<void> {
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

async function createMemberships<Tables>(db: Kysely<Tables>): Promise<void> {
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
  await index(db, 'memberships', ['tenant_id', 'role', 'created_at', 'id']);
}

async function createAdmins<Tables>(db: Kysely<Tables>): Promise<void> {
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
  await index(db, 'admins', ['role', 'created_at', 'id']);
}

async function createInvitations<Tables>(db: Kysely<Tables>): Promise<void> {
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
  // Partial, because accepted invitations are kept: most invitations of an old tenant are no longer open.
  const isOpen = sql<SqlBool>`accepted_at is null`;
  await partialIndex(db, 'invitations_open', 'invitations', ['tenant_id', 'created_at', 'id'], isOpen);
  await partialIndex(db, 'invitations_open_role', 'invitations', ['tenant_id', 'role', 'created_at', 'id'], isOpen);
}

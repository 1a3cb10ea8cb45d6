import { type Kysely, type SqlBool, sql } from 'kysely';
import { createAuditLogs } from '../audit-logs.ts';
import { flag, index, oneOf, uniqueIndex } from '../schema.ts';

async function createTenantIdentity(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tenant_identity')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
}

async function createProducts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('products')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('platforms_json', 'text', (column) => column.notNull())
    .addColumn('metadata_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'products', ['code']);
  await index(db, 'products', ['created_at', 'id']);
}

async function createPolicies(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('policies')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('product_id', 'text', (column) => column.notNull().references('products.id'))
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('duration_days', 'bigint')
    .addColumn('expiry_basis', 'text', (column) => column.notNull())
    .addColumn('expiry_strategy', 'text', (column) => column.notNull())
    .addColumn('grace_days', 'bigint', (column) => column.notNull())
    .addColumn('renewal_basis', 'text', (column) => column.notNull())
    .addColumn('maintenance_days', 'bigint')
    .addColumn('max_activations', 'bigint')
    .addColumn('activation_overage_percent', 'bigint')
    .addColumn('require_activation', 'integer', (column) => column.notNull())
    .addColumn('lease_seconds', 'bigint')
    .addColumn('max_deactivations', 'bigint')
    .addColumn('offline_ttl_seconds_max', 'bigint', (column) => column.notNull())
    .addColumn('key_prefix', 'text')
    .addColumn('entitlements_json', 'text', (column) => column.notNull())
    .addColumn('metadata_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint(
      'policies_expiry_basis_known',
      oneOf('expiry_basis', ['creation', 'first_validation', 'first_activation']),
    )
    .addCheckConstraint('policies_expiry_strategy_known', oneOf('expiry_strategy', ['deny', 'allow']))
    .addCheckConstraint('policies_renewal_basis_known', oneOf('renewal_basis', ['from_expiry', 'from_now']))
    .addCheckConstraint('policies_require_activation_flag', flag('require_activation'))
    .execute();
  await uniqueIndex(db, 'policies', ['product_id', 'code']);
  await index(db, 'policies', ['created_at', 'id']);
}

async function createLicenses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('licenses')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('product_id', 'text', (column) => column.notNull().references('products.id'))
    .addColumn('policy_id', 'text', (column) => column.notNull().references('policies.id'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('holder_name', 'text')
    .addColumn('holder_email', 'text')
    .addColumn('holder_reference', 'text')
    .addColumn('starts_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('maintenance_expires_at', 'text')
    .addColumn('max_activations', 'bigint')
    .addColumn('entitlements_json', 'text', (column) => column.notNull())
    .addColumn('deactivations_count', 'bigint', (column) => column.notNull())
    .addColumn('last_validated_at', 'text')
    .addColumn('metadata_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('deleted_at', 'text')
    .addCheckConstraint('licenses_status_known', oneOf('status', ['active', 'suspended', 'revoked']))
    .execute();
  await uniqueIndex(db, 'licenses', ['key'], 'deleted_at');
  await index(db, 'licenses', ['created_at', 'id']);
  await index(db, 'licenses', ['product_id', 'created_at', 'id']);
  await index(db, 'licenses', ['policy_id', 'created_at', 'id']);
  await index(db, 'licenses', ['status', 'created_at', 'id']);
}

async function createActivations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('activations')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('license_id', 'text', (column) => column.notNull().references('licenses.id'))
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('hostname', 'text')
    .addColumn('platform', 'text')
    .addColumn('ip', 'text')
    .addColumn('last_heartbeat_at', 'text', (column) => column.notNull())
    .addColumn('lease_expires_at', 'text')
    .addColumn('metadata_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('released_at', 'text')
    .addColumn('release_reason', 'text')
    .addCheckConstraint(
      'activations_release_reason_known',
      oneOf('release_reason', ['deactivated', 'lease_expired', 'license_deleted']),
    )
    .execute();
  await uniqueIndex(db, 'activations', ['license_id', 'fingerprint'], 'released_at');
  await index(db, 'activations', ['license_id', 'created_at', 'id']);
  await index(db, 'activations', ['created_at', 'id']);
  await db.schema
    .createIndex('activations_open_lease_expires_at')
    .on('activations')
    .column('lease_expires_at')
    .where(sql<SqlBool>`released_at is null and lease_expires_at is not null`)
    .execute();
}

/** The first tables of a tenant: whose database it is, products, policies, licenses, activations, audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTenantIdentity(db);
  await createProducts(db);
  await createPolicies(db);
  await createLicenses(db);
  await createActivations(db);
  await createAuditLogs(db);
}

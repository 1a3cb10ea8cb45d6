import { type Kysely, type SqlBool, sql } from 'kysely';
import { flag, index, oneOf, partialIndex, uniqueIndex } from '../../schema.ts';

/** Creates the tables of products, policies, licenses and activations, and of the digest of expiring licenses. */
export async function createLicensingTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createProducts(db);
  await createPolicies(db);
  await createLicenses(db);
  await indexLicenses(db);
  await createExpiringDigest(db);
  await createActivations(db);
  await indexActivations(db);
}

async function createProducts<Tables>(db: Kysely<Tables>): Promise<void> {
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

async function createPolicies<Tables>(db: Kysely<Tables>): Promise<void> {
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
  await index(db, 'policies', ['product_id', 'created_at', 'id']);
  await index(db, 'policies', ['code', 'created_at', 'id']);
}

async function createLicenses<Tables>(db: Kysely<Tables>): Promise<void> {
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
    .addColumn('expiring_noted_for', 'text')
    .addColumn('expired_noted_for', 'text')
    .addCheckConstraint('licenses_status_known', oneOf('status', ['active', 'suspended', 'revoked']))
    .execute();
}

async function indexLicenses<Tables>(db: Kysely<Tables>): Promise<void> {
  await uniqueIndex(db, 'licenses', ['key'], 'deleted_at');
  await index(db, 'licenses', ['created_at', 'id']);
  await index(db, 'licenses', ['product_id', 'created_at', 'id']);
  await index(db, 'licenses', ['policy_id', 'created_at', 'id']);
  await index(db, 'licenses', ['status', 'created_at', 'id']);
  // A range of these two columns is collected and sorted; the columns after the first save reading the license itself.
  await index(db, 'licenses', ['expires_at', 'status', 'created_at', 'id']);
  await index(db, 'licenses', ['starts_at', 'status', 'created_at', 'id']);
  for (const column of ['holder_email', 'holder_reference']) {
    const isGiven = sql<SqlBool>`${sql.ref(column)} is not null`;
    await partialIndex(db, `licenses_${column}`, 'licenses', [column, 'created_at', 'id'], isGiven);
  }
  // Holds the licenses that are not yet counted as expiring. Counting a license removes it from the index; a new
  // expiry date adds it again.
  await partialIndex(
    db,
    'licenses_expiring',
    'licenses',
    ['expires_at'],
    sql<SqlBool>`expires_at is not null and (expiring_noted_for is null or expiring_noted_for <> expires_at)`,
  );
  // Holds the licenses whose end is not yet reported, in the order in which it will be reported.
  await partialIndex(
    db,
    'licenses_ending',
    'licenses',
    ['expires_at', 'id'],
    sql<SqlBool>`deleted_at is null and status not in ('suspended', 'revoked') and expires_at is not null and (expired_noted_for is null or expired_noted_for <> expires_at)`,
  );
}

async function createExpiringDigest<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('expiring_digest')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('license_count', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('examples_json', 'text', (column) => column.notNull().defaultTo('[]'))
    .addCheckConstraint('expiring_digest_one_row', sql<SqlBool>`id = 1`)
    .execute();
  await sql`insert into expiring_digest (id) values (1)`.execute(db);
}

async function createActivations<Tables>(db: Kysely<Tables>): Promise<void> {
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
}

async function indexActivations<Tables>(db: Kysely<Tables>): Promise<void> {
  await uniqueIndex(db, 'activations', ['license_id', 'fingerprint'], 'released_at');
  await index(db, 'activations', ['license_id', 'created_at', 'id']);
  await index(db, 'activations', ['created_at', 'id']);
  const isOpenLease = sql<SqlBool>`released_at is null and lease_expires_at is not null`;
  await partialIndex(db, 'activations_open_lease_expires_at', 'activations', ['lease_expires_at'], isOpenLease);
  const newestFirst = ['created_at', 'id'];
  await index(db, 'activations', ['fingerprint', 'created_at', 'id']);
  const isHeld = sql<SqlBool>`released_at is null`;
  await partialIndex(db, 'activations_held', 'activations', newestFirst, isHeld);
  const isDeactivated = sql<SqlBool>`release_reason in ('deactivated', 'license_deleted')`;
  await partialIndex(db, 'activations_deactivated', 'activations', newestFirst, isDeactivated);
  const isExpired = sql<SqlBool>`release_reason = 'lease_expired'`;
  await partialIndex(db, 'activations_lease_expired', 'activations', newestFirst, isExpired);
  // Finds the last activation of a device: the verdict still reports that its lease expired.
  await index(db, 'activations', ['license_id', 'fingerprint', 'created_at']);
  // Covering: counts the occupied seats of a license and finds its expired leases. Without `released_at` as a column
  // SQLite would read it from the table, row by row.
  const seatColumns = ['license_id', 'lease_expires_at', 'released_at'];
  await partialIndex(db, 'activations_taken_seats', 'activations', seatColumns, isHeld);
}

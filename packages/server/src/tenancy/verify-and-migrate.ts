import type { Database, PreparedRead, TenantDb, TenantTransaction } from '../db/database.ts';
import { DatabaseUnavailableError, isMissingTable, isUnavailable } from '../db/errors.ts';
import {
  checkSchema,
  type MigrationResult,
  type Migrations,
  migrateInTransaction,
  migrateTo,
  newestMigration,
} from '../db/migrations/migrate.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';
import type { Clock } from '../lib/clock.ts';
import { type MigrationBackoff, noBackoff } from './migration-backoff.ts';
import type { SeedTenant } from './tenant-databases.ts';

/** How the databases of tenants are created and migrated. */
export interface TenantSchema {
  readonly migrations: Migrations;
  readonly seedTenant: SeedTenant;
  /** When opening a database migrates it again after a failure; when absent, at each time. */
  readonly migrationBackoff?: MigrationBackoff;
}

const identity: PreparedRead<TenantTables, { tenant_id: string }> = {
  name: 'tenant-identity',
  build: (db) => db.selectFrom('tenant_identity').select('tenant_id'),
};

/**
 * Turns an open database into the `TenantDb` of `tenantId`: verifies that the database belongs to that tenant (a file
 * may have been copied over another one, or a placement row may be wrong) and migrates an older schema. Throws a
 * `DatabaseUnavailableError` for another tenant's database and for a schema that cannot be migrated, because the
 * other tenants remain available. `backoff` postpones a migration that failed before. Closes the database when it
 * throws.
 */
export async function verifyTenantDb(
  database: Database<TenantTables>,
  tenantId: string,
  schema: TenantSchema,
): Promise<TenantDb> {
  try {
    const state = await checkSchema(database, schema.migrations);
    // Before migrating: an empty file in place of a tenant's must not become a database.
    const db = await checkIdentity(database, tenantId);
    if (state === 'behind' || state === 'ahead') await migrateToOpen(database, tenantId, schema);
    return db;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function migrateToOpen(database: Database<TenantTables>, tenantId: string, schema: TenantSchema) {
  const { migrations, migrationBackoff = noBackoff } = schema;
  const migrate = () => database.transaction((tx) => migrateAndSeed(tx, schema), { mayTakeLong: true });
  try {
    await migrationBackoff.attempt(tenantId, newestMigration(migrations), migrate);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw schemaUnusable(tenantId, error);
  }
}

async function migrateAndSeed(
  tx: TenantTransaction,
  { migrations, seedTenant }: TenantSchema,
): Promise<MigrationResult> {
  const result = await migrateInTransaction(tx, migrations);
  if (result.state === 'migrated') await seedTenant(tx);
  return result;
}

function schemaUnusable(tenantId: string, cause: unknown): DatabaseUnavailableError {
  const reason = "its database cannot be migrated to this version's schema";
  const message = `Tenant ${tenantId} cannot be opened, because ${reason}. Run "licensing migrate" for details.`;
  return new DatabaseUnavailableError(message, cause);
}

/**
 * Migrates a tenant's database and closes it. Throws a `DatabaseUnavailableError`, and rolls the migration back, when
 * the database belongs to another tenant.
 */
export async function migrateTenantDb(
  database: Database<TenantTables>,
  tenantId: string,
  schema: TenantSchema,
): Promise<MigrationResult> {
  try {
    return await database.transaction(
      async (tx) => {
        const result = await migrateAndSeed(tx, schema);
        await assertIdentityIn(tx, tenantId);
        return result;
      },
      { mayTakeLong: true },
    );
  } finally {
    await database.close();
  }
}

async function checkIdentity(database: Database<TenantTables>, tenantId: string): Promise<TenantDb> {
  assertIdentity(await readIdentity(database), tenantId);
  return database as TenantDb;
}

/** Returns undefined when the database is empty or was never assigned to a tenant. */
async function readIdentity(database: Database<TenantTables>): Promise<{ tenant_id: string } | undefined> {
  try {
    return await database.first(identity, []);
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    return undefined;
  }
}

function assertIdentity(row: { tenant_id: string } | undefined, tenantId: string): void {
  if (row?.tenant_id === tenantId) return;
  const found = row === undefined ? 'no tenant' : `tenant ${row.tenant_id}`;
  throw new DatabaseUnavailableError(
    `The database of tenant ${tenantId} belongs to ${found}: restore the right database, or correct the tenant's placement in the platform database.`,
  );
}

async function assertIdentityIn(tx: TenantTransaction, tenantId: string): Promise<void> {
  assertIdentity(await tx.selectFrom('tenant_identity').select('tenant_id').executeTakeFirst(), tenantId);
}

/**
 * Migrates a new database, seeds it and stores its tenant's id in it, in one transaction, then closes it. Idempotent.
 */
export async function initialiseTenantDb(
  database: Database<TenantTables>,
  tenantId: string,
  { clock, ...schema }: TenantSchema & { readonly clock: Clock },
): Promise<void> {
  try {
    const work = async (tx: TenantTransaction) => {
      await migrateAndSeed(tx, schema);
      await tx
        .insertInto('tenant_identity')
        .values({ tenant_id: tenantId, created_at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await assertIdentityIn(tx, tenantId);
    };
    await database.transaction(work, { mayTakeLong: true });
  } finally {
    await database.close();
  }
}

/**
 * Creates the schema as of the migration `schema` in an empty database, to receive an archive's rows, and closes it.
 */
export async function prepareTenantDb(
  database: Database<TenantTables>,
  migrations: Migrations,
  schema: string,
): Promise<void> {
  try {
    await migrateTo(database, migrations, schema);
  } finally {
    await database.close();
  }
}

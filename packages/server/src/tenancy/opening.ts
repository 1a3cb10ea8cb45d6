import type { Database, PreparedRead, TenantDb } from '../db/database.ts';
import { checkSchema, migrate, migrateInTransaction, migrateTo } from '../db/migrate.ts';
import { tenantMigrations } from '../db/migrations/tenant/index.ts';
import type { TenantTables } from '../db/tables.ts';
import type { Clock } from '../lib/clock.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';

const identity: PreparedRead<TenantTables, { tenant_id: string }> = {
  name: 'tenant-identity',
  build: (db) => db.selectFrom('tenant_identity').select('tenant_id'),
};

/**
 * Turns an open database into the `TenantDb` of `tenantId`: refuses another tenant's database (a file copied over
 * another, a wrong row of placement) and brings an older schema up to date. Closes the database when it throws.
 */
export function verifyTenantDb(database: Database<TenantTables>, tenantId: string): MaybePromise<TenantDb> {
  const verified = andThen(checkSchema(database, tenantMigrations), (state) =>
    state === 'behind'
      ? migrate(database, tenantMigrations).then(() => checkIdentity(database, tenantId))
      : checkIdentity(database, tenantId),
  );
  if (!(verified instanceof Promise)) return verified;
  return verified.catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
}

function checkIdentity(database: Database<TenantTables>, tenantId: string): MaybePromise<TenantDb> {
  return andThen(database.first(identity, []), (row) => {
    assertIdentity(row, tenantId);
    return database as TenantDb;
  });
}

function assertIdentity(row: { tenant_id: string } | undefined, tenantId: string): void {
  if (row?.tenant_id === tenantId) return;
  const found = row === undefined ? 'no tenant' : `tenant ${row.tenant_id}`;
  throw new Error(
    `The database of tenant ${tenantId} belongs to ${found}: restore the right file or correct its placement.`,
  );
}

/** Migrates a new database, writes into it whose it is, in one transaction, and closes it. It may be repeated. */
export async function initialiseTenantDb(
  database: Database<TenantTables>,
  tenantId: string,
  clock: Clock,
): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      await migrateInTransaction(tx, tenantMigrations);
      await tx
        .insertInto('tenant_identity')
        .values({ tenant_id: tenantId, created_at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      assertIdentity(await tx.selectFrom('tenant_identity').select('tenant_id').executeTakeFirst(), tenantId);
    });
  } finally {
    await database.close();
  }
}

/** Gives an empty database the schema after a migration, for the rows of an archive, and closes it. */
export async function prepareTenantDb(database: Database<TenantTables>, schema: string): Promise<void> {
  try {
    await migrateTo(database, tenantMigrations, schema);
  } finally {
    await database.close();
  }
}

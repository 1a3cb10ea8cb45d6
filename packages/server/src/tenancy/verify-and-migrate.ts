import type { Database, PreparedRead, TenantDb, TenantTransaction } from '../db/database.ts';
import { DatabaseUnavailableError, isMissingTable, isUnavailable } from '../db/errors.ts';
import {
  checkSchema,
  type MigrationResult,
  type Migrations,
  migrate,
  migrateInTransaction,
  migrateTo,
} from '../db/migrations/migrate.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';
import type { Clock } from '../lib/clock.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';

const identity: PreparedRead<TenantTables, { tenant_id: string }> = {
  name: 'tenant-identity',
  build: (db) => db.selectFrom('tenant_identity').select('tenant_id'),
};

/**
 * Turns an open database into the `TenantDb` of `tenantId`: refuses another tenant's database (a file copied over
 * another, a wrong row of placement) and brings an older schema up to date. Closes the database when it throws: a
 * `DatabaseUnavailableError` where its schema is the reason, because others are served meanwhile.
 */
export function verifyTenantDb(
  database: Database<TenantTables>,
  tenantId: string,
  migrations: Migrations,
): MaybePromise<TenantDb> {
  let verified: MaybePromise<TenantDb>;
  try {
    verified = checkAndMigrate(database, tenantId, migrations);
  } catch (error) {
    // It answers later, although an embedded database is closed at once.
    void database.close();
    throw error;
  }
  if (!(verified instanceof Promise)) return verified;
  return verified.catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
}

/** Whose it is comes first: an empty file in the place of a tenant's must not become a database. */
function checkAndMigrate(
  database: Database<TenantTables>,
  tenantId: string,
  migrations: Migrations,
): MaybePromise<TenantDb> {
  return andThen(checkSchema(database, migrations), (state) =>
    andThen(checkIdentity(database, tenantId), (db) =>
      state === 'behind' || state === 'ahead' ? migrateToOpen(database, tenantId, migrations).then(() => db) : db,
    ),
  );
}

async function migrateToOpen(database: Database<TenantTables>, tenantId: string, migrations: Migrations) {
  try {
    await migrate(database, migrations);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw schemaUnusable(tenantId, error);
  }
}

function schemaUnusable(tenantId: string, cause: unknown): DatabaseUnavailableError {
  const message = `Tenant ${tenantId} cannot be opened, because its database cannot be brought to this version's schema.`;
  return new DatabaseUnavailableError(message, cause);
}

/** Brings a tenant's database up to date, unless it is another tenant's, and closes it. */
export async function migrateTenantDb(
  database: Database<TenantTables>,
  tenantId: string,
  migrations: Migrations,
): Promise<MigrationResult> {
  try {
    return await database.transaction(
      async (tx) => {
        const result = await migrateInTransaction(tx, migrations);
        await assertIdentityIn(tx, tenantId);
        return result;
      },
      { mayTakeLong: true },
    );
  } finally {
    await database.close();
  }
}

function checkIdentity(database: Database<TenantTables>, tenantId: string): MaybePromise<TenantDb> {
  return andThen(readIdentity(database), (row) => {
    assertIdentity(row, tenantId);
    return database as TenantDb;
  });
}

/** Undefined when the database is empty, or not yet anybody's. */
function readIdentity(database: Database<TenantTables>): MaybePromise<{ tenant_id: string } | undefined> {
  try {
    const row = database.first(identity, []);
    return row instanceof Promise ? row.catch(undefinedWhereMissing) : row;
  } catch (error) {
    return undefinedWhereMissing(error);
  }
}

function undefinedWhereMissing(error: unknown): undefined {
  if (!isMissingTable(error)) throw error;
}

function assertIdentity(row: { tenant_id: string } | undefined, tenantId: string): void {
  if (row?.tenant_id === tenantId) return;
  const found = row === undefined ? 'no tenant' : `tenant ${row.tenant_id}`;
  throw new DatabaseUnavailableError(
    `The database of tenant ${tenantId} belongs to ${found}: restore the right one or correct its placement.`,
  );
}

async function assertIdentityIn(tx: TenantTransaction, tenantId: string): Promise<void> {
  assertIdentity(await tx.selectFrom('tenant_identity').select('tenant_id').executeTakeFirst(), tenantId);
}

/** Migrates a new database, writes into it whose it is, in one transaction, and closes it. It may be repeated. */
export async function initialiseTenantDb(
  database: Database<TenantTables>,
  tenantId: string,
  { migrations, clock }: { readonly migrations: Migrations; readonly clock: Clock },
): Promise<void> {
  try {
    const work = async (tx: TenantTransaction) => {
      await migrateInTransaction(tx, migrations);
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

/** Gives an empty database the schema after a migration, for the rows of an archive, and closes it. */
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

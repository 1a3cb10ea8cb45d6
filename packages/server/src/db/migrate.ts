import { type Migration, Migrator } from 'kysely/migration';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Database, PreparedRead } from './database.ts';
import { lockForMigration } from './dialect.ts';
import { isMissingTable } from './errors.ts';

/** Migrations by name; the names sort in the order in which they run. */
export type Migrations = Readonly<Record<string, Migration>>;

/** How a database stands to this program's migrations: `ahead` when a newer version of the program migrated it. */
export type SchemaState = 'current' | 'behind' | 'ahead';

/** A newer version of this program migrated the database; using it could damage data. */
export class NewerSchemaError extends Error {
  constructor() {
    super('The database was migrated by a newer version of this program: start that version, or restore a backup.');
    this.name = 'NewerSchemaError';
  }
}

interface LedgerTables {
  /** Kysely's own ledger. */
  kysely_migration: { name: string; timestamp: string };
}

const newestMigration: PreparedRead<LedgerTables, { name: string }> = {
  name: 'newest_migration',
  build: (db) => db.selectFrom('kysely_migration').select('name').orderBy('name', 'desc').limit(1),
};

function compareNewest(newest: string | undefined, migrations: Migrations): SchemaState {
  const latest = Object.keys(migrations).sort().at(-1);
  if (latest === undefined || newest === latest) return 'current';
  return newest === undefined || newest < latest ? 'behind' : 'ahead';
}

function stateAfterFailure(error: unknown): SchemaState {
  if (isMissingTable(error)) return 'behind';
  throw error;
}

/** Compares a database with the migrations by one prepared read: at once on SQLite, later on PostgreSQL. */
export function checkSchema<Tables>(db: Database<Tables>, migrations: Migrations): MaybePromise<SchemaState> {
  const ledger = db as unknown as Database<LedgerTables>; // The ledger stands beside every set of tables.
  try {
    const row = ledger.first(newestMigration, []);
    if (!(row instanceof Promise)) return compareNewest(row?.name, migrations);
    return row.then((found) => compareNewest(found?.name, migrations), stateAfterFailure);
  } catch (error) {
    return stateAfterFailure(error);
  }
}

/**
 * Brings a database to the newest schema in one transaction, and tells which migrations ran. Others who migrate
 * the same database at the same time wait. Throws `NewerSchemaError` when the database is ahead of this program.
 */
export async function migrate<Tables>(
  db: Database<Tables>,
  migrations: Migrations,
): Promise<{ readonly applied: readonly string[] }> {
  const state = await checkSchema(db, migrations);
  if (state === 'ahead') throw new NewerSchemaError();
  if (state === 'current') return { applied: [] };
  return await runMigrations(db, migrations);
}

/** Brings an empty database to the schema that it had after the migration `last`: what an older archive is read into. */
export async function migrateTo<Tables>(db: Database<Tables>, migrations: Migrations, last: string): Promise<void> {
  const upToLast = Object.entries(migrations).filter(([name]) => name <= last);
  await runMigrations(db, Object.fromEntries(upToLast));
}

async function runMigrations<Tables>(
  db: Database<Tables>,
  migrations: Migrations,
): Promise<{ readonly applied: readonly string[] }> {
  return await db.transaction(async (tx) => {
    await lockForMigration(tx);
    const migrator = new Migrator({ db: tx, provider: { getMigrations: () => Promise.resolve({ ...migrations }) } });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return { applied: results.map((result) => result.migrationName) };
  });
}

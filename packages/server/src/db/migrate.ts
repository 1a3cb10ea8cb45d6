import type { Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Database, Engine } from './database.ts';
import { isPostgres, lockForMigration } from './dialect.ts';
import { isMissingTable } from './errors.ts';
import { appendToLedger, createLedger, type LedgerRow, readLedger, readNewest } from './migration-ledger.ts';
import { recordScript } from './migration-script.ts';
import { executeScript } from './script.ts';

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

function namesOf(migrations: Migrations): string[] {
  return Object.keys(migrations).sort();
}

function compareNewest(newest: string | undefined, migrations: Migrations): SchemaState {
  const latest = namesOf(migrations).at(-1);
  if (latest === undefined || newest === latest) return 'current';
  return newest === undefined || newest < latest ? 'behind' : 'ahead';
}

function stateAfterFailure(error: unknown): SchemaState {
  if (isMissingTable(error)) return 'behind';
  throw error;
}

/** Compares a database with the migrations by one prepared read: at once on SQLite, later on PostgreSQL. */
export function checkSchema<Tables>(db: Database<Tables>, migrations: Migrations): MaybePromise<SchemaState> {
  try {
    const row = readNewest(db);
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
  return { applied: await db.transaction((tx) => migrateInTransaction(tx, migrations)) };
}

/** Brings an empty database to the schema that it had after the migration `last`: what an older archive is read into. */
export async function migrateTo<Tables>(db: Database<Tables>, migrations: Migrations, last: string): Promise<void> {
  const upToLast = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last));
  await db.transaction((tx) => migrateInTransaction(tx, upToLast));
}

/**
 * As `migrate`, within a transaction that its caller begins and commits, before anything else in it. An empty
 * database gets its whole schema as one script, where that can be known beforehand. Answers the names of what ran.
 */
export async function migrateInTransaction<Tables>(
  tx: Transaction<Tables>,
  migrations: Migrations,
): Promise<readonly string[]> {
  await lockForMigration(tx);
  const ledger = await readLedger(tx);
  if (ledger !== undefined) return await runPending(tx, migrations, ledger);
  const script = await schemaScript(isPostgres(tx) ? 'postgres' : 'sqlite', migrations);
  if (script === undefined) {
    await createLedger(tx);
    return await runPending(tx, migrations, []);
  }
  await executeScript(tx, script);
  await appendToLedger(tx, namesOf(migrations));
  return namesOf(migrations);
}

async function runPending<Tables>(
  tx: Transaction<Tables>,
  migrations: Migrations,
  ledger: readonly LedgerRow[],
): Promise<readonly string[]> {
  const names = namesOf(migrations);
  assertPrefix(ledger, names);
  const pending = names.slice(ledger.length);
  for (const name of pending) await migrations[name]?.up(tx);
  await appendToLedger(tx, pending, ledger);
  return pending;
}

/** What ran must be the beginning of what there is: nothing was made that could not be told apart from the rest. */
function assertPrefix(ledger: readonly LedgerRow[], names: readonly string[]): void {
  const newest = ledger.at(-1)?.name;
  const latest = names.at(-1);
  if (newest !== undefined && latest !== undefined && newest > latest) throw new NewerSchemaError();
  const stranger = ledger.find(({ name }, index) => name !== names[index])?.name;
  if (stranger === undefined) return;
  throw new Error(
    `The migrations of this database are not those of this program, beginning with ${stranger}: start the version that migrated it.`,
  );
}

const scripts = new WeakMap<Migrations, Map<Engine, Promise<string | undefined>>>();

/** The statements of all migrations, made once per process: they take longer to build than to send. */
function schemaScript(engine: Engine, migrations: Migrations): Promise<string | undefined> {
  const known = scripts.get(migrations) ?? new Map<Engine, Promise<string | undefined>>();
  scripts.set(migrations, known);
  const script =
    known.get(engine) ??
    recordScript(engine, async (db) => {
      await createLedger(db);
      for (const name of namesOf(migrations)) await migrations[name]?.up(db);
    });
  known.set(engine, script);
  return script;
}

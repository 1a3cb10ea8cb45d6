import type { Transaction } from 'kysely';
import type { Migration as KyselyMigration } from 'kysely/migration';
import type { Database, Engine } from '../database.ts';
import { isPostgres, lockForMigration } from '../dialect.ts';
import { isMissingTable } from '../errors.ts';
import { compactScript } from '../sqlite/compact-script.ts';
import { executeScript } from '../statements.ts';
import {
  appendToLedger,
  createLedger,
  type Ledger,
  type LedgerRow,
  type NewestMigration,
  noteServedFrom,
  readFirstName,
  readLedger,
  readNewest,
} from './ledger.ts';
import { recordScript } from './migration-script.ts';

/** A migration, and which versions of the program may use a database in which it ran. */
export interface Migration extends KyselyMigration {
  /**
   * The name of an earlier migration. Versions of the program that know it may still use the database. Set it for
   * migrations whose additions those versions can ignore. Without it older versions refuse the database.
   */
  readonly servedFrom?: string | Readonly<Record<Engine, string>>;
}

/** Migrations by name; the names sort in the order in which they run. */
export type Migrations = Readonly<Record<string, Migration>>;

/**
 * How a database's schema compares with this program's migrations. `newer` and `ahead` mean that a newer version of the
 * program migrated it: this version may use a `newer` database and must refuse one that is `ahead`.
 */
export type SchemaState = 'current' | 'behind' | 'newer' | 'ahead';

/** The result of migrating a database. `current` and `newer` mean that no migration had to run. */
export interface MigrationResult {
  readonly state: 'migrated' | 'current' | 'newer';
  /** The names of the migrations that ran. */
  readonly applied: readonly string[];
}

/** A newer version of this program migrated the database; using it could damage data. */
export class NewerSchemaError extends Error {
  constructor() {
    super('The database was migrated by a newer version of this program: start that version, or restore a backup.');
    this.name = 'NewerSchemaError';
  }
}

function formerSchema(): Error {
  return new Error(
    'The database was created by a version before 1.0, which later versions cannot migrate: start that version, or set DATA_DIR or DATABASE_URL to an empty database.',
  );
}

/** The migrations of versions before 1.0 were replaced, so their ledgers begin with a name that later ones do not have. */
function isOfFormerHistory(first: string | undefined, migrations: Migrations): boolean {
  return first !== undefined && first !== namesOf(migrations)[0];
}

/** Returns true for a database that a version before 1.0 created. */
export async function isFromBeforeFirstRelease<Tables>(db: Database<Tables>, migrations: Migrations): Promise<boolean> {
  return isOfFormerHistory(await readFirstName(db), migrations);
}

function namesOf(migrations: Migrations): string[] {
  return Object.keys(migrations).sort();
}

/** Returns the name of the newest migration; an empty string for none. */
export function newestMigration(migrations: Migrations): string {
  return namesOf(migrations).at(-1) ?? '';
}

function compareNewest(newest: NewestMigration | undefined, migrations: Migrations): SchemaState {
  const latest = newestMigration(migrations);
  if (latest === '' || newest?.name === latest) return 'current';
  if (newest === undefined || newest.name < latest) return 'behind';
  return Object.hasOwn(migrations, newest.served_from ?? '') ? 'newer' : 'ahead';
}

/** Compares a database with the migrations by one prepared read. */
export async function checkSchema<Tables>(db: Database<Tables>, migrations: Migrations): Promise<SchemaState> {
  try {
    return compareNewest(await readNewest(db), migrations);
  } catch (error) {
    if (isMissingTable(error)) return 'behind';
    throw error;
  }
}

/**
 * Migrates a database to the newest schema in one transaction. Concurrent calls for the same database wait for each
 * other. Throws `NewerSchemaError` if the database is ahead of this program, and another error if a version before 1.0
 * created it.
 */
export async function migrate<Tables>(db: Database<Tables>, migrations: Migrations): Promise<MigrationResult> {
  const state = await checkSchema(db, migrations);
  if (state === 'current' || state === 'newer') return { state, applied: [] };
  return await db.transaction((tx) => migrateInTransaction(tx, migrations), { mayTakeLong: true });
}

/** Gives an empty database the schema after the migration `last`, for the rows of an archive with that schema. */
export async function migrateTo<Tables>(db: Database<Tables>, migrations: Migrations, last: string): Promise<void> {
  const upToLast = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last));
  await db.transaction((tx) => migrateInTransaction(tx, upToLast), { mayTakeLong: true });
}

/**
 * As `migrate`, as the first step of a transaction that the caller begins and commits. An empty database gets its whole
 * schema as one script if `recordScript` can determine it in advance.
 */
export async function migrateInTransaction<Tables>(
  tx: Transaction<Tables>,
  migrations: Migrations,
): Promise<MigrationResult> {
  await lockForMigration(tx);
  const ledger = await readLedger(tx);
  if (ledger === undefined) return await createSchema(tx, migrations);
  const name = ledger.rows.at(-1)?.name;
  const newest = name === undefined ? undefined : { name, served_from: ledger.servedFrom ?? null };
  const state = compareNewest(newest, migrations);
  if (state === 'ahead')
    throw isOfFormerHistory(ledger.rows[0]?.name, migrations) ? formerSchema() : new NewerSchemaError();
  if (state === 'newer') return { state, applied: [] };
  return await runPending(tx, migrations, ledger);
}

const engineOf = <Tables>(tx: Transaction<Tables>): Engine => (isPostgres(tx) ? 'postgres' : 'sqlite');

async function createSchema<Tables>(tx: Transaction<Tables>, migrations: Migrations): Promise<MigrationResult> {
  const engine = engineOf(tx);
  const script = await schemaScript(engine, migrations);
  if (script === undefined) {
    await createLedger(tx);
    return await runPending(tx, migrations, { rows: [], servedFrom: undefined });
  }
  await executeScript(tx, script);
  const applied = namesOf(migrations);
  await appendToLedger(tx, applied);
  await noteServedFrom(tx, servedFromOf(migrations, engine));
  return { state: 'migrated', applied };
}

async function runPending<Tables>(
  tx: Transaction<Tables>,
  migrations: Migrations,
  { rows, servedFrom }: Ledger,
): Promise<MigrationResult> {
  const names = namesOf(migrations);
  assertBeginning(rows, names);
  const applied = names.slice(rows.length);
  for (const name of applied) await migrations[name]?.up(tx);
  await appendToLedger(tx, applied, rows);
  if (applied.length > 0 || servedFrom === undefined) await noteServedFrom(tx, servedFromOf(migrations, engineOf(tx)));
  return { state: applied.length > 0 ? 'migrated' : 'current', applied };
}

/**
 * Returns the migration that a version must know to use a database with all of these: the least tolerant one decides.
 */
function servedFromOf(migrations: Migrations, engine: Engine): string {
  const needed = Object.entries(migrations).map(([name, { servedFrom = name }]) =>
    typeof servedFrom === 'string' ? servedFrom : servedFrom[engine],
  );
  return needed.sort().at(-1) ?? '';
}

/** Throws unless the migrations that ran are the first of `names`: one inserted before them would never run. */
function assertBeginning(rows: readonly LedgerRow[], names: readonly string[]): void {
  const unknown = rows.find(({ name }, index) => name !== names[index])?.name;
  if (unknown === undefined) return;
  throw new Error(
    `This database has migrations that do not match those of this program, first ${unknown}: start the version that migrated it.`,
  );
}

const scripts = new WeakMap<Migrations, Map<Engine, Promise<string | undefined>>>();

/** Returns the statements of all migrations, built once per process: building takes longer than sending them. */
function schemaScript(engine: Engine, migrations: Migrations): Promise<string | undefined> {
  const known = scripts.get(migrations) ?? new Map<Engine, Promise<string | undefined>>();
  scripts.set(migrations, known);
  const script = known.get(engine) ?? createScript(engine, migrations);
  known.set(engine, script);
  return script;
}

async function createScript(engine: Engine, migrations: Migrations): Promise<string | undefined> {
  const script = await recordScript(engine, async (db) => {
    await createLedger(db);
    for (const name of namesOf(migrations)) await migrations[name]?.up(db);
  });
  return script === undefined || engine === 'postgres' ? script : compactScript(script);
}

import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database, PreparedRead } from '../database.ts';
import { isPostgres } from '../dialect.ts';

// The ledger of a database: which migrations ran, in the tables of Kysely's Migrator, so that Kysely can read and
// continue it; and, in `schema_compatibility`, which older versions of this program may use the database.

interface LedgerTables {
  kysely_migration: { name: string; timestamp: string };
  kysely_migration_lock: { id: string; is_locked: number };
  schema_compatibility: { id: number; served_from: string };
}

/** The tables of the ledger. Migrating a database creates them. */
export const ledgerTables: ReadonlySet<string> = new Set([
  'kysely_migration',
  'kysely_migration_lock',
  'schema_compatibility',
]);

/** The newest migration that ran on a database. */
export interface NewestMigration {
  readonly name: string;
  /** Versions of the program that know this migration may use the database. Null: only versions that know `name`. */
  readonly served_from: string | null;
}

const newestMigration: PreparedRead<LedgerTables, NewestMigration> = {
  name: 'newest_migration',
  build: (db) =>
    db
      .selectFrom('kysely_migration')
      .select((eb) => ['name', eb.selectFrom('schema_compatibility').select('served_from').as('served_from')])
      .orderBy('name', 'desc')
      .limit(1),
};

/** Narrows any database to the tables of its ledger. */
function ledgerOf<Tables>(db: Kysely<Tables>): Kysely<LedgerTables> {
  return db as unknown as Kysely<LedgerTables>;
}

/**
 * Reads the newest migration that ran, by a prepared read. Throws a missing-table error (`isMissingTable`) for a
 * database without a complete ledger.
 */
export function readNewest<Tables>(db: Database<Tables>) {
  return (db as unknown as Database<LedgerTables>).first(newestMigration, []);
}

/** Returns the name of the first migration that ran. Throws a missing-table error for a database without a ledger. */
export async function readFirstName<Tables>({ query }: Database<Tables>): Promise<string | undefined> {
  const names = ledgerOf(query).selectFrom('kysely_migration').select('name').orderBy('name').limit(1);
  return (await names.executeTakeFirst())?.name;
}

/** Creates the ledger in an empty database. */
export async function createLedger<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('kysely_migration')
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('kysely_migration_lock')
    .addColumn('id', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('is_locked', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)`.execute(db);
  await createCompatibility(db);
}

async function createCompatibility<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('schema_compatibility')
    .addColumn('id', 'integer', (column) => column.notNull().primaryKey())
    .addColumn('served_from', 'text', (column) => column.notNull())
    .execute();
}

/** A migration that ran. Kysely's Migrator requires timestamps in the order of the names. */
export interface LedgerRow {
  readonly name: string;
  readonly timestamp: string;
}

/** The ledger of a database. */
export interface Ledger {
  /** The migrations that ran, in order. */
  readonly rows: readonly LedgerRow[];
  /** Versions of the program that know this migration may use the database. */
  readonly servedFrom: string | undefined;
}

/**
 * Reads the ledger of a database; undefined if it has none. A ledger that Kysely's Migrator created gets its missing
 * compatibility table.
 */
export async function readLedger<Tables>(tx: Transaction<Tables>): Promise<Ledger | undefined> {
  const tables = await presentTables(tx);
  if (!tables.has('kysely_migration')) return undefined;
  if (!tables.has('schema_compatibility')) await createCompatibility(tx);
  const ledger = ledgerOf(tx);
  const rows = await ledger.selectFrom('kysely_migration').select(['name', 'timestamp']).orderBy('name').execute();
  const compatibility = await ledger.selectFrom('schema_compatibility').select('served_from').executeTakeFirst();
  return { rows, servedFrom: compatibility?.served_from };
}

/** Reads the catalogue, because reading a missing table would abort the transaction on PostgreSQL. */
async function presentTables<Tables>(tx: Transaction<Tables>): Promise<ReadonlySet<string>> {
  const catalogue = isPostgres(tx)
    ? sql`select relname as name from pg_class
        where oid in (to_regclass('kysely_migration'), to_regclass('schema_compatibility'))`
    : sql`select name from sqlite_schema where name in ('kysely_migration', 'schema_compatibility')`;
  const { rows } = await (catalogue as RawBuilder<{ name: string }>).execute(tx);
  return new Set(rows.map(({ name }) => name));
}

/** Stores that versions of the program that know the migration `servedFrom` may use the database. */
export async function noteServedFrom<Tables>(tx: Transaction<Tables>, servedFrom: string): Promise<void> {
  await ledgerOf(tx)
    .insertInto('schema_compatibility')
    .values({ id: 1, served_from: servedFrom })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ served_from: servedFrom }))
    .execute();
}

/** Records that migrations ran, with timestamps after those of `before`. */
export async function appendToLedger<Tables>(
  tx: Transaction<Tables>,
  names: readonly string[],
  before: readonly LedgerRow[] = [],
): Promise<void> {
  const latestMs = Math.max(Date.now(), ...before.map(({ timestamp }) => Date.parse(timestamp) + 1));
  const rows = names.map((name, index) => ({ name, timestamp: new Date(latestMs + index).toISOString() }));
  if (rows.length > 0) await ledgerOf(tx).insertInto('kysely_migration').values(rows).execute();
}

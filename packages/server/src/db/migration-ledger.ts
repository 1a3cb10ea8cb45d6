import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database, PreparedRead } from './database.ts';
import { isPostgres } from './dialect.ts';

// The tables and rows of Kysely's Migrator, which earlier versions of this program ran: they read each other's.

interface LedgerTables {
  kysely_migration: { name: string; timestamp: string };
  kysely_migration_lock: { id: string; is_locked: number };
}

/** The tables of the ledger: every database gets them from its migrations. */
export const ledgerTables: ReadonlySet<string> = new Set(['kysely_migration', 'kysely_migration_lock']);

const newestMigration: PreparedRead<LedgerTables, { name: string }> = {
  name: 'newest_migration',
  build: (db) => db.selectFrom('kysely_migration').select('name').orderBy('name', 'desc').limit(1),
};

/** The ledger stands beside every set of tables. */
function ledgerOf<Tables>(db: Kysely<Tables>): Kysely<LedgerTables> {
  return db as unknown as Kysely<LedgerTables>;
}

/** Reads the last migration that ran, prepared. Fails with a missing table where none ever did. */
export function readNewest<Tables>(db: Database<Tables>) {
  return (db as unknown as Database<LedgerTables>).first(newestMigration, []);
}

/** Makes the ledger of an empty database. */
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
}

/** A migration that ran; the times are in the order of the names, as Kysely's Migrator wants them. */
export interface LedgerRow {
  readonly name: string;
  readonly timestamp: string;
}

/** The migrations that ran, in order; undefined where the database has no ledger. */
export async function readLedger<Tables>(tx: Transaction<Tables>): Promise<readonly LedgerRow[] | undefined> {
  if (!(await hasLedger(tx))) return undefined;
  return await ledgerOf(tx).selectFrom('kysely_migration').select(['name', 'timestamp']).orderBy('name').execute();
}

/** Reading a table that is missing would end the transaction on PostgreSQL. */
async function hasLedger<Tables>(tx: Transaction<Tables>): Promise<boolean> {
  const catalogue = isPostgres(tx)
    ? sql`pg_class where oid = to_regclass('kysely_migration')`
    : sql`sqlite_schema where name = 'kysely_migration'`;
  const { rows } = await sql`select 1 from ${catalogue}`.execute(tx);
  return rows.length > 0;
}

/** Notes that migrations ran, after those of `before`. */
export async function appendToLedger<Tables>(
  tx: Transaction<Tables>,
  names: readonly string[],
  before: readonly LedgerRow[] = [],
): Promise<void> {
  const latestMs = Math.max(Date.now(), ...before.map(({ timestamp }) => Date.parse(timestamp) + 1));
  const rows = names.map((name, index) => ({ name, timestamp: new Date(latestMs + index).toISOString() }));
  if (rows.length > 0) await ledgerOf(tx).insertInto('kysely_migration').values(rows).execute();
}

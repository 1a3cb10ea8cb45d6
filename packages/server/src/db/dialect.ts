import { type Kysely, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { executeScript } from './script.ts';

/** True where statements go to PostgreSQL, false on SQLite. */
export function isPostgres<Tables>(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Locks the rows that `query` reads until the transaction ends, so that a decision about them holds.
 * On SQLite nothing is to be done: a transaction holds the write lock from its beginning.
 */
export function forUpdate<Tables, DB, Table extends keyof DB, Output>(
  tx: Transaction<Tables>,
  query: SelectQueryBuilder<DB, Table, Output>,
): SelectQueryBuilder<DB, Table, Output> {
  return isPostgres(tx) ? query.forUpdate() : query;
}

/** Like `forUpdate`, but passes over rows that another transaction holds: several take different rows at once. */
export function forUpdateSkipLocked<Tables, DB, Table extends keyof DB, Output>(
  tx: Transaction<Tables>,
  query: SelectQueryBuilder<DB, Table, Output>,
): SelectQueryBuilder<DB, Table, Output> {
  return isPostgres(tx) ? query.forUpdate().skipLocked() : query;
}

/**
 * Arrays of texts as rows with the column `value`, to be read with `value ->> 0`. For many small rows: one value to
 * bind in place of thousands to compile, parse and bind.
 */
export function rowsOf<Tables>(db: Kysely<Tables>, arrays: readonly (readonly string[])[]): RawBuilder<unknown> {
  const json = JSON.stringify(arrays);
  return isPostgres(db) ? sql`json_array_elements(cast(${json} as json)) as rows(value)` : sql`json_each(${json})`;
}

/** Reads the rows of `query` only to lock them, in its order, where rows are locked at all. */
export async function lockRows<Tables, DB, Table extends keyof DB, Output>(
  tx: Transaction<Tables>,
  query: SelectQueryBuilder<DB, Table, Output>,
): Promise<void> {
  if (isPostgres(tx)) await query.forUpdate().execute();
}

const migrationLockId = 5_208_813_042;

/**
 * Makes other processes that want to migrate the same database wait until the transaction ends, and lifts the
 * time limits of its statements. On SQLite the write lock that the transaction holds is enough.
 */
export async function lockForMigration<Tables>(tx: Transaction<Tables>): Promise<void> {
  if (!isPostgres(tx)) return;
  await executeScript(
    tx,
    `select set_config('statement_timeout', '0', true), set_config('lock_timeout', '10min', true);
     select pg_advisory_xact_lock(${migrationLockId});
     -- A change of a table that waits long for its lock holds up everybody behind it.
     select set_config('lock_timeout', '10s', true);`,
  );
}

const bulkLockId = 5_208_813_043;

/**
 * Lets one bulk transaction of the same database run at a time, in whichever process: two that insert the same rows
 * in another order would end each other in a deadlock. Waits for five minutes at most. On SQLite the write lock that
 * the transaction holds is enough.
 */
export async function lockForBulk<Tables>(tx: Transaction<Tables>): Promise<void> {
  if (!isPostgres(tx)) return;
  await sql`select set_config('statement_timeout', '5min', true), set_config('lock_timeout', '5min', true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(${sql.lit(bulkLockId)})`.execute(tx);
  await sql`select set_config('statement_timeout', '15s', true), set_config('lock_timeout', '10s', true)`.execute(tx);
}

import {
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely';
import { executeScript } from './statements.ts';

/** A database or a transaction of it, whatever its tables. */
type Connected = Pick<Kysely<unknown>, 'getExecutor'>;

/** Returns true if `db` is a PostgreSQL database, false if it is a SQLite database. */
export function isPostgres(db: Connected): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Returns `query` so that it locks the rows it reads until the transaction ends: a decision about them then stays
 * valid. Unchanged on SQLite, where a transaction holds the write lock from its start.
 */
export function forUpdate<DB, Table extends keyof DB, Output>(
  tx: Connected,
  query: SelectQueryBuilder<DB, Table, Output>,
): SelectQueryBuilder<DB, Table, Output> {
  return isPostgres(tx) ? query.forUpdate() : query;
}

/** Like `forUpdate`, but other transactions can insert rows that refer to the locked ones. */
export function forNoKeyUpdate<Tables, DB, Table extends keyof DB, Output>(
  tx: Transaction<Tables>,
  query: SelectQueryBuilder<DB, Table, Output>,
): SelectQueryBuilder<DB, Table, Output> {
  return isPostgres(tx) ? query.forNoKeyUpdate() : query;
}

/** Like `forUpdate`, but the transactions that only read the rows this way share the lock. */
export function forShare<DB, Table extends keyof DB, Output>(
  db: Connected,
  query: SelectQueryBuilder<DB, Table, Output>,
): SelectQueryBuilder<DB, Table, Output> {
  return isPostgres(db) ? query.forShare() : query;
}

/** Like `forUpdate`, but skips rows that another transaction locks, so that concurrent workers take different rows. */
export function forUpdateSkipLocked<Tables, DB, Table extends keyof DB, Output>(
  tx: Transaction<Tables>,
  query: SelectQueryBuilder<DB, Table, Output>,
): SelectQueryBuilder<DB, Table, Output> {
  return isPostgres(tx) ? query.forUpdate().skipLocked() : query;
}

/**
 * Returns SQL for arrays of texts as rows; `textAt` and `numberAt` are their elements. For many small rows: the statement
 * has one parameter instead of thousands to compile, parse and bind.
 */
export function rowsOf<Tables>(db: Kysely<Tables>, arrays: readonly (readonly string[])[]): RawBuilder<unknown> {
  return rowsOfJson(db, JSON.stringify(arrays));
}

/** Like `rowsOf`, for the arrays as JSON: of a prepared query, whose arguments are texts. */
export function rowsOfJson<Tables>(db: Kysely<Tables>, json: string): RawBuilder<unknown> {
  return isPostgres(db) ? sql`json_array_elements(cast(${json} as json)) as rows(value)` : sql`json_each(${json})`;
}

/** Returns SQL for an element of a row of `rowsOf`. */
export function textAt(index: number): RawBuilder<string> {
  return sql<string>`value ->> ${sql.lit(index)}`;
}

/** Returns SQL for an element of a row of `rowsOf` that is an integer. */
export function numberAt(index: number): RawBuilder<number> {
  return sql<number>`cast(value ->> ${sql.lit(index)} as bigint)`;
}

/** Locks the rows of `query`, in its order. Does nothing on SQLite. */
export async function lockRows<Tables, DB, Table extends keyof DB, Output>(
  tx: Transaction<Tables>,
  query: SelectQueryBuilder<DB, Table, Output>,
): Promise<void> {
  if (isPostgres(tx)) await query.forUpdate().execute();
}

/**
 * Returns SQL for an email address with its letters A to Z in lower case, as `foldEmail` folds it. The index
 * `licenses_folded_holder_email` contains exactly this expression: never change it.
 */
export function foldedEmail<Tables>(db: Kysely<Tables>, column: string): RawBuilder<string> {
  const email = sql.ref(column);
  // SQLite folds only A to Z; PostgreSQL does so in the collation "C".
  return isPostgres(db) ? sql<string>`lower(${email} collate "C")` : sql<string>`lower(${email})`;
}

/** The key of the advisory lock that a migration of a PostgreSQL database holds until its transaction ends. */
export const migrationLockId = 5_208_813_042;

/**
 * Makes other processes that migrate the same database wait until the transaction ends, for at most 10 minutes, and
 * disables the statement timeout. Does nothing on SQLite, where the transaction holds the write lock.
 */
export async function lockForMigration<Tables>(tx: Transaction<Tables>): Promise<void> {
  if (!isPostgres(tx)) return;
  await executeScript(
    tx,
    `select set_config('statement_timeout', '0', true), set_config('lock_timeout', '10min', true);
     select pg_advisory_xact_lock(${migrationLockId});
     -- A change of a table that waits for its lock blocks every later statement on that table: wait 10 s at most.
     select set_config('lock_timeout', '10s', true);`,
  );
}

const bulkLockId = 5_208_813_043;

/**
 * Makes bulk transactions of the same database run one at a time, across all processes: two that insert the same rows
 * in different orders would deadlock. Waits at most 5 minutes. Does nothing on SQLite, where the transaction holds the
 * write lock.
 */
export async function lockForBulk<Tables>(tx: Transaction<Tables>): Promise<void> {
  if (!isPostgres(tx)) return;
  await sql`select set_config('statement_timeout', '5min', true), set_config('lock_timeout', '5min', true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(${sql.lit(bulkLockId)})`.execute(tx);
  await sql`select set_config('statement_timeout', '15s', true), set_config('lock_timeout', '10s', true)`.execute(tx);
}

/**
 * Returns a condition that a column is one of the texts of a JSON array. For many texts: the statement has one parameter
 * instead of hundreds to compile, parse and bind, and the same text for any number of them, so that it stays prepared.
 * PostgreSQL estimates the elements of a JSON array as 100, for which it reads a table of some thousand rows completely; it
 * estimates an array as 10, for which it uses the index.
 */
export function isOneOf<Tables>(db: Kysely<Tables>, column: string, json: string): RawBuilder<SqlBool> {
  const ref = sql.ref(column);
  return isPostgres(db)
    ? sql<SqlBool>`${ref} = any(array(select json_array_elements_text(cast(${json} as json))))`
    : sql<SqlBool>`${ref} in (select value from json_each(${json}))`;
}

/**
 * Returns SQL for the prefix of an audit code, up to and including the first dot: `TENANT.` of `TENANT.SUSPENDED`. The
 * index `audit_logs_event_group` contains exactly this expression, and a query uses it only with the same text: never
 * change it.
 */
export function eventGroup<Tables>(db: Kysely<Tables>, column: string): RawBuilder<string> {
  const code = sql.ref(column);
  return isPostgres(db)
    ? sql<string>`(split_part(${code}, '.', 1) || '.')`
    : sql<string>`substr(${code}, 1, instr(${code}, '.'))`;
}

/** Returns a condition that every text of the JSON array in a column is one of these texts. */
export function containsOnly<Tables>(
  db: Kysely<Tables>,
  column: string,
  texts: readonly string[],
): RawBuilder<SqlBool> {
  const json = JSON.stringify(texts);
  return isPostgres(db)
    ? sql<SqlBool>`cast(${sql.ref(column)} as jsonb) <@ cast(${json} as jsonb)`
    : sql<SqlBool>`not exists (select 1 from json_each(${sql.ref(column)}) where value not in (select value from json_each(${json})))`;
}

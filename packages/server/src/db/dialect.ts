import { type Expression, PostgresAdapter, type SelectQueryBuilder, type SqlBool, sql, type Transaction } from 'kysely';

function isPostgres<Tables>(tx: Transaction<Tables>): boolean {
  return tx.getExecutor().adapter instanceof PostgresAdapter;
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

/**
 * True for rows whose `column` contains `text`, ASCII letters in any case. `text` is taken literally: `%` and `_`
 * have no special meaning. Bare LIKE tells case on PostgreSQL and not on SQLite.
 */
export function containsText(column: Expression<string | null>, text: string): Expression<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '\\'`;
}

const migrationLockId = 5_208_813_042;

/**
 * Makes other processes that want to migrate the same database wait until the transaction ends, and lifts the
 * time limits of its statements. On SQLite the write lock that the transaction holds is enough.
 */
export async function lockForMigration<Tables>(tx: Transaction<Tables>): Promise<void> {
  if (!isPostgres(tx)) return;
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '10min', true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(${sql.lit(migrationLockId)})`.execute(tx);
  // A change of a table that waits long for its lock holds up everybody behind it.
  await sql`select set_config('lock_timeout', '10s', true)`.execute(tx);
}

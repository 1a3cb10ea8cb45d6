import type { CompiledQuery, DatabaseConnection, Dialect, QueryResult } from 'kysely';
import { assertSqlValues, isScript, parametersOfEach } from '../statements.ts';
import type { ThreadConnection } from './bulk-threads.ts';
import { dialectOf, retryWhileBusy } from './connection.ts';

/** The connection of one bulk transaction, in a thread of its own. */
class BulkConnection implements DatabaseConnection {
  readonly #thread: ThreadConnection;

  constructor(thread: ThreadConnection) {
    this.#thread = thread;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { sql, parameters } = query;
    assertSqlValues(parameters);
    if (isScript(query)) {
      await this.#thread.execute(sql);
      return { rows: [], numAffectedRows: 0n };
    }
    if (parametersOfEach(query) !== undefined) throw new Error('A bulk transaction runs each statement by itself.');
    const { rows, changes } = await this.#thread.run(sql, parameters, { isInTransaction: true });
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows cannot be streamed: read them in pages by a cursor.');
  }

  async begin(): Promise<void> {
    await retryWhileBusy(() => this.#thread.execute('BEGIN IMMEDIATE'));
  }

  async commit(): Promise<void> {
    await this.#thread.run('COMMIT', [], { isInTransaction: true });
  }

  /** Never throws, so that the caller sees the error that caused the rollback. Closing also rolls back. */
  async rollback(): Promise<void> {
    await this.#thread.execute('ROLLBACK').catch(() => undefined);
  }
}

/** Returns Kysely's dialect for one bulk transaction on a thread's connection. */
export function createBulkDialect(thread: ThreadConnection): Dialect {
  const own = (connection: DatabaseConnection) => connection as BulkConnection;
  return dialectOf({
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(new BulkConnection(thread)),
    beginTransaction: (connection) => own(connection).begin(),
    commitTransaction: (connection) => own(connection).commit(),
    rollbackTransaction: (connection) => own(connection).rollback(),
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  });
}

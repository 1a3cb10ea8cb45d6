import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import type { Database, PreparedRead, SqlValue } from './database.ts';
import { lockForBulk } from './dialect.ts';
import { DatabaseUnavailableError, endsSession, fromPostgresError } from './errors.ts';
import {
  clientConfig,
  createPipelinedConnection,
  describeServer,
  type PipelinedConnection,
  type PostgresOptions,
  type PostgresResult,
} from './postgres-client.ts';
import { compileRead } from './prepared.ts';
import { assertSqlValues } from './sql-values.ts';
import { createTransactionGate } from './transaction-gate.ts';
import { assertOutsideTransaction, createTransactionRunner, type TransactionRunner } from './transaction-scope.ts';

export type { PostgresOptions } from './postgres-client.ts';

/** What the connections of one database share. */
interface PostgresSession {
  readonly pipeline: PipelinedConnection;
  readonly pool: pg.Pool;
  readonly server: string;
  assertOpen(): void;
}

function toQueryResult<Row>(result: PostgresResult): QueryResult<Row> {
  // A script of several statements has a result for each.
  if (Array.isArray(result)) return { rows: [] };
  const { command, rowCount, rows } = result;
  const changesRows = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return { rows: rows as Row[], ...(changesRows && { numAffectedRows: BigInt(rowCount ?? 0) }) };
}

/** Sends statements through the shared pipeline until a transaction begins, then through a connection of its own. */
class PostgresConnection implements DatabaseConnection {
  readonly #session: PostgresSession;
  #client: pg.PoolClient | undefined;
  #isBroken = false;
  readonly #markBroken = () => {
    this.#isBroken = true;
  };

  constructor(session: PostgresSession) {
    this.#session = session;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    assertSqlValues(parameters);
    if (this.#client !== undefined) return toQueryResult(await this.#send(sql, parameters));
    this.#session.assertOpen();
    assertOutsideTransaction(this.#session);
    return toQueryResult(await this.#session.pipeline.send({ text: sql, values: parameters }));
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are not streamed: read them in pages by a cursor.');
  }

  async begin({ isolationLevel }: TransactionSettings): Promise<void> {
    try {
      this.#client = await this.#session.pool.connect();
    } catch (error) {
      throw fromPostgresError(error, this.#session.server);
    }
    // The pool does not listen while a connection is lent out, and an unheard error event ends the process.
    this.#client.on('error', this.#markBroken);
    await this.#send(isolationLevel === undefined ? 'begin' : `begin isolation level ${isolationLevel}`);
  }

  async commit(): Promise<void> {
    const { command } = await this.#send('commit');
    // PostgreSQL answers so when an earlier statement failed and the work went on regardless.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  /** Never throws, so that the error which caused it stays the one that is seen. */
  async rollback(): Promise<void> {
    await this.#send('rollback').catch(this.#markBroken);
  }

  release(): void {
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    const mayBeInTransaction = client.getTransactionStatus() !== 'I';
    client.release(this.#isBroken || mayBeInTransaction);
    client.removeListener('error', this.#markBroken);
  }

  async #send(text: string, values: readonly SqlValue[] = []): Promise<PostgresResult> {
    if (this.#client === undefined) throw new Error('A statement was sent after its transaction had ended.');
    try {
      return await this.#client.query(text, [...values]);
    } catch (error) {
      if (endsSession(error)) this.#markBroken();
      throw fromPostgresError(error, this.#session.server);
    }
  }
}

function createDriver(session: PostgresSession): Driver {
  const own = (connection: DatabaseConnection) => connection as PostgresConnection;
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(new PostgresConnection(session)),
    beginTransaction: (connection, settings) => own(connection).begin(settings),
    commitTransaction: (connection) => own(connection).commit(),
    rollbackTransaction: (connection) => own(connection).rollback(),
    releaseConnection: (connection) => Promise.try(() => own(connection).release()),
    destroy: () => Promise.resolve(),
  };
}

function createDialect(session: PostgresSession): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(session),
    createIntrospector: (query) => new PostgresIntrospector(query),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

interface PoolSize {
  readonly max: number;
  readonly idleTimeoutMillis: number;
}

/** Bulk transactions are rare: their connection goes soon after. */
const bulkPoolSize: PoolSize = { max: 1, idleTimeoutMillis: 1_000 };

function createTransactionPool(options: PostgresOptions, size: PoolSize): pg.Pool {
  const pool = new pg.Pool({ ...clientConfig(options), ...size, allowExitOnIdle: true });
  pool.on('error', (error) => options.onError?.(error));
  return pool;
}

class PostgresDatabase<Tables> implements Database<Tables>, PostgresSession {
  readonly engine = 'postgres';
  readonly query: Kysely<Tables>;
  readonly pipeline: PipelinedConnection;
  readonly pool: pg.Pool;
  readonly server: string;
  readonly #prepares: boolean;
  readonly #transactions: TransactionRunner<Tables>;
  readonly #bulkPool: pg.Pool;
  readonly #bulkQuery: Kysely<Tables>;
  /** In a pool's own queue one that waits for long would fail. */
  readonly #bulkGate = createTransactionGate();
  #closing: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    this.server = describeServer(options);
    this.pipeline = createPipelinedConnection(options, this.server);
    this.pool = createTransactionPool(options, { max: options.maxTransactions ?? 1, idleTimeoutMillis: 10_000 });
    this.#bulkPool = createTransactionPool(options, bulkPoolSize);
    const { pipeline, server } = this;
    const bulkSession = { pipeline, server, pool: this.#bulkPool, assertOpen: () => this.assertOpen() };
    this.#bulkQuery = new Kysely<Tables>({ dialect: createDialect(bulkSession) });
    this.#prepares = options.preparedStatements ?? true;
    this.query = new Kysely<Tables>({ dialect: createDialect(this) });
    this.#transactions = createTransactionRunner(this);
  }

  async transaction<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    this.assertOpen();
    return await this.#transactions.run(this.query, work);
  }

  async bulkTransaction<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    this.assertOpen();
    return await this.#transactions.track(async () => {
      await this.#bulkGate.enter('bulk');
      try {
        return await this.#transactions.run(this.#bulkQuery, async (tx) => {
          await lockForBulk(tx);
          return await work(tx);
        });
      } finally {
        this.#bulkGate.leave();
      }
    });
  }

  async first<Row>(read: PreparedRead<Tables, Row>, args: readonly SqlValue[]): Promise<Row | undefined> {
    this.assertOpen();
    assertOutsideTransaction(this);
    const { sql, bind } = compileRead('postgres', this.query, read);
    const values = bind(args);
    const statement = this.#prepares ? { name: read.name, text: sql, values } : { text: sql, values };
    const { rows } = await this.pipeline.send(statement);
    return rows[0] as Row | undefined;
  }

  assertOpen(): void {
    if (this.#closing !== undefined) {
      throw new DatabaseUnavailableError(`The database ${this.server} has been closed: open it again to use it.`);
    }
  }

  /** Autovacuum does it; a table of deleted rows is nothing that a query can read. */
  forgetDeleted(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeWhenIdle();
    return this.#closing;
  }

  async #closeWhenIdle(): Promise<void> {
    await this.#transactions.settled();
    await Promise.all([this.pipeline.close(), this.pool.end(), this.#bulkPool.end()]);
  }
}

/**
 * Opens a PostgreSQL database lazily: one pipelined connection for single statements and hot reads, and up to
 * `maxTransactions` (default 1) for transactions, and one more while a bulk transaction runs. Outages reject with a `DatabaseUnavailableError`; the next
 * statement connects again.
 */
export function openPostgres<Tables>(options: PostgresOptions): Database<Tables> {
  return new PostgresDatabase<Tables>(options);
}

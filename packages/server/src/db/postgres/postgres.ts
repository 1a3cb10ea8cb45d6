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
import type { Database, PreparedRead, SqlValue, TransactionOptions } from '../database.ts';
import { lockForBulk } from '../dialect.ts';
import { DatabaseUnavailableError, endsSession, fromPostgresError } from '../errors.ts';
import { compileRead } from '../prepared-queries.ts';
import { assertSqlValues } from '../statements.ts';
import { assertOutsideTransaction, createTransactionRunner, type TransactionRunner } from '../transaction-scope.ts';
import {
  describeServer,
  isPooled,
  localLimits,
  type PostgresOptions,
  type PostgresResult,
  usualAnswerTimeoutMs,
} from './client.ts';
import { type ConnectionBudget, createConnectionBudget } from './connection-budget.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { ServerConnection } from './server-connection.ts';
import { TransactionConnection } from './transaction-connection.ts';

export type { PostgresOptions } from './client.ts';

/** The state that the connections of one database share. */
interface PostgresSession {
  readonly pipeline: PipelinedConnection;
  readonly transactions: TransactionConnection;
  readonly server: string;
  /** The SQL that follows BEGIN. */
  readonly afterBegin: string;
  /** How long to wait for the response to a statement of a transaction; null: without limit. */
  readonly answerTimeoutMs: number | null;
  assertOpen(): void;
}

function toQueryResult<Row>(result: PostgresResult): QueryResult<Row> {
  // A script of several statements has a result for each.
  if (Array.isArray(result)) return { rows: [] };
  const { command, rowCount, rows } = result;
  const changesRows = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return { rows: rows as Row[], ...(changesRows && { numAffectedRows: BigInt(rowCount ?? 0) }) };
}

/** Sends single statements through the shared pipeline, and a transaction through the connection for transactions. */
class PostgresConnection implements DatabaseConnection {
  readonly #session: PostgresSession;
  #lent: ServerConnection | undefined;
  #isBroken = false;

  constructor(session: PostgresSession) {
    this.#session = session;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    assertSqlValues(parameters);
    if (this.#lent !== undefined) return toQueryResult(await this.#send(sql, parameters));
    this.#session.assertOpen();
    assertOutsideTransaction(this.#session);
    return toQueryResult(await this.#session.pipeline.send({ text: sql, values: parameters }));
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows cannot be streamed: read them in pages by a cursor.');
  }

  async begin({ isolationLevel }: TransactionSettings): Promise<void> {
    this.#lent = await this.#session.transactions.borrow();
    const isolation = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    await this.#send(`begin${isolation}${this.#session.afterBegin}`);
  }

  async commit(): Promise<void> {
    const { command } = await this.#send('commit');
    // PostgreSQL responds with ROLLBACK if an earlier statement failed and the caller ignored the error.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  /** Never throws, so that the caller sees the error that caused the rollback. */
  async rollback(): Promise<void> {
    // After a statement without a response no later statement gets one.
    if (this.#isBroken) return;
    await this.#send('rollback').catch(() => {
      this.#isBroken = true;
    });
  }

  release(): void {
    const lent = this.#lent;
    if (lent === undefined) return;
    this.#lent = undefined;
    const isInTransaction = lent.client.getTransactionStatus() !== 'I';
    this.#session.transactions.giveBack(lent, !this.#isBroken && !isInTransaction);
  }

  async #send(text: string, values: readonly SqlValue[] = []): Promise<PostgresResult> {
    if (this.#lent === undefined) throw new Error('A statement was sent after its transaction had ended.');
    const { answerTimeoutMs } = this.#session;
    // `pg` accepts the timeout per query, although its types declare it only for connections.
    const limit = answerTimeoutMs === null ? {} : { query_timeout: answerTimeoutMs };
    try {
      // Without values a script of several statements is sent as one message.
      return await this.#lent.client.query({ text, ...(values.length > 0 && { values: [...values] }), ...limit });
    } catch (error) {
      if (endsSession(error)) this.#isBroken = true;
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

/** One connection for single statements, one for transactions, one while a bulk transaction runs. */
const connectionsAlone = 3;
const transactionWaitMs = 10_000;
/** As long as `lockForBulk` waits for bulk transactions of other processes. */
const bulkWaitMs = 300_000;

class PostgresDatabase<Tables> implements Database<Tables>, PostgresSession {
  readonly engine = 'postgres';
  readonly query: Kysely<Tables>;
  readonly pipeline: PipelinedConnection;
  readonly transactions: TransactionConnection;
  readonly server: string;
  readonly afterBegin: string;
  readonly #isPooled: boolean;
  readonly #transactions: TransactionRunner<Tables>;
  readonly answerTimeoutMs: number;
  readonly #unlimitedQuery: Kysely<Tables>;
  readonly #bulkConnection: TransactionConnection;
  readonly #bulkQuery: Kysely<Tables>;
  readonly #budget: ConnectionBudget;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    this.server = describeServer(options);
    this.answerTimeoutMs = options.answerTimeoutMs ?? usualAnswerTimeoutMs;
    const { server } = this;
    const budget = options.budget ?? createConnectionBudget({ server, limit: connectionsAlone });
    const source = { options, server, budget };
    this.pipeline = new PipelinedConnection(source, () => this.transactions.spare());
    const findSpare = () => this.pipeline.spare();
    this.transactions = new TransactionConnection(source, { use: 'requests', waitMs: transactionWaitMs, findSpare });
    this.#bulkConnection = new TransactionConnection(source, { use: 'bulk', waitMs: bulkWaitMs });
    this.#isPooled = isPooled(options);
    // A pooled session has the settings of its role and server. A direct connection was opened with the timeouts.
    this.afterBegin = this.#isPooled ? `; ${localLimits()}` : '';
    const { pipeline, afterBegin } = this;
    const unlimited = { pipeline, server, afterBegin, answerTimeoutMs: null, assertOpen: () => this.assertOpen() };
    this.#unlimitedQuery = new Kysely<Tables>({
      dialect: createDialect({ ...unlimited, transactions: this.transactions }),
    });
    this.#bulkQuery = new Kysely<Tables>({
      dialect: createDialect({ ...unlimited, transactions: this.#bulkConnection }),
    });
    this.query = new Kysely<Tables>({ dialect: createDialect(this) });
    this.#transactions = createTransactionRunner(this);
    this.#budget = budget;
  }

  async transaction<Result>(
    work: (tx: Transaction<Tables>) => Promise<Result>,
    { mayTakeLong = false }: TransactionOptions = {},
  ): Promise<Result> {
    this.assertOpen();
    return await this.#transactions.run(mayTakeLong ? this.#unlimitedQuery : this.query, work);
  }

  async bulkTransaction<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    this.assertOpen();
    return await this.#transactions.run(this.#bulkQuery, async (tx) => {
      await lockForBulk(tx);
      return await work(tx);
    });
  }

  async first<Row>(read: PreparedRead<Tables, Row>, args: readonly SqlValue[]): Promise<Row | undefined> {
    this.assertOpen();
    assertOutsideTransaction(this);
    const { sql, bind } = compileRead('postgres', this.query, read);
    const values = bind(args);
    const statement = this.#isPooled ? { text: sql, values } : { name: read.name, text: sql, values };
    const { rows } = await this.pipeline.send(statement);
    return rows[0] as Row | undefined;
  }

  assertOpen(): void {
    if (this.#closing !== undefined) {
      throw new DatabaseUnavailableError(`The database ${this.server} has been closed: open it again to use it.`);
    }
  }

  /** Does nothing: autovacuum removes deleted rows, and no query can read them before. */
  forgetDeleted(): Promise<void> {
    return Promise.resolve();
  }

  hasConnectionAtHand(): boolean {
    return this.pipeline.isOpen || this.transactions.isOpen || !this.#budget.isUsedUp;
  }

  isIntact(): boolean {
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeWhenIdle();
    return this.#closing;
  }

  async #closeWhenIdle(): Promise<void> {
    await this.#transactions.settled();
    const connections = [this.pipeline, this.transactions, this.#bulkConnection];
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

/**
 * Opens a PostgreSQL database. It has a pipelined connection for single statements and prepared reads, one for
 * transactions, and one during a bulk transaction. Each is opened when it is needed, has a slot of the server's budget,
 * and is closed after some idle seconds. Outages reject with a `DatabaseUnavailableError`; the next statement
 * reconnects.
 */
export function openPostgres<Tables>(options: PostgresOptions): Database<Tables> {
  return new PostgresDatabase<Tables>(options);
}

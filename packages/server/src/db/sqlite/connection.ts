import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts';
import { DatabaseUnavailableError, isSqliteBusy } from '../errors.ts';
import { assertSqlValues, isScript, parametersOfEach } from '../statements.ts';
import { assertOutsideTransaction } from '../transaction-scope.ts';
import type { SqliteHandle, StatementResult } from './handle.ts';
import type { CommitGroup, TransactionQueue } from './transaction-queue.ts';
import { afterReads } from './turns.ts';

/** The queue already serialises transactions, so Kysely need not do it. */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const busyRetryMs = 15;
const busyTimeoutMs = 5_000;

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && isSqliteBusy(error.cause);
}

/**
 * Repeats `statement` every 15 ms while another process holds the lock, for at most 5 s, without blocking this process.
 */
export async function retryWhileBusy<Result>(statement: () => MaybePromise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      await delay(busyRetryMs);
    }
  }
}

/** At most this many transactions share a COMMIT, because each of them waits for the work of the others. */
const maxGroupSize = 64;

/** The state that the connections of one database share. */
export interface SqliteSession {
  readonly queue: TransactionQueue;
  readonly group: CommitGroup;
  readonly handle: SqliteHandle;
  /** Throws unless the database is open and its file is still the one that was opened. */
  assertOpen(use: 'read' | 'write'): void;
  /** Replaces a handle whose transaction cannot be ended. Never throws. */
  reopen(): void;
}

/**
 * `WITH` and any other statement that may write counts as a write: a read that waits needlessly is the lesser error.
 */
function kindOf({ sql }: CompiledQuery): 'read' | 'write' {
  return /^\s*select\b/i.test(sql) ? 'read' : 'write';
}

function toQueryResult<Row>(session: SqliteSession, query: CompiledQuery): QueryResult<Row> {
  const { rows, changes } = run(session, query);
  return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
}

function run({ handle }: SqliteSession, query: CompiledQuery): StatementResult {
  if (isScript(query)) return handle.runScript(query.sql);
  const each = parametersOfEach(query);
  if (each !== undefined) {
    for (const parameters of each) assertSqlValues(parameters);
    return handle.runEach(query.sql, each);
  }
  assertSqlValues(query.parameters);
  return handle.run(query.sql, query.parameters);
}

interface ConnectionOptions {
  /**
   * True for transactions whose changes may be lost when the machine loses power: a COMMIT of such transactions alone
   * does not wait for the disk, which would block the process. The next one that waits makes them durable too.
   */
  readonly mayLoseChanges: boolean;
}

/** Enters the queue when a transaction begins. Outside transactions each statement is a transaction of its own. */
class SqliteConnection implements DatabaseConnection {
  readonly #session: SqliteSession;
  readonly #options: ConnectionOptions;
  #isInTransaction = false;

  constructor(session: SqliteSession, options: ConnectionOptions) {
    this.#session = session;
    this.#options = options;
  }

  /**
   * `node:sqlite` is synchronous, and promises that resolve immediately never return to the event loop: without a pause
   * a loop over statements would let the process serve no request until its end.
   */
  async executeQuery<Row>(compiledQuery: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await (this.#isInTransaction
      ? this.#executeInTransaction<Row>(compiledQuery)
      : this.#executeAlone<Row>(compiledQuery));
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
    return result;
  }

  #executeInTransaction<Row>(compiledQuery: CompiledQuery): QueryResult<Row> {
    this.#assertInTransaction();
    return toQueryResult<Row>(this.#session, compiledQuery);
  }

  #executeAlone<Row>(compiledQuery: CompiledQuery): MaybePromise<QueryResult<Row>> {
    const session = this.#session;
    const kind = kindOf(compiledQuery);
    session.assertOpen(kind);
    if (kind === 'write' && session.group.resume()) settle(session);
    const statement = () => {
      if (kind === 'write') chooseDurability(session, durable);
      return toQueryResult<Row>(session, compiledQuery);
    };
    if (session.queue.current !== undefined) {
      assertOutsideTransaction(session);
      if (session.queue.blocks(kind)) return retryWhileBusy(() => session.queue.afterCurrent(statement));
    }
    try {
      return statement();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return retryWhileBusy(() => session.queue.afterCurrent(statement));
    }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows cannot be streamed: read them in pages by a cursor.');
  }

  async begin(): Promise<void> {
    const session = this.#session;
    const { group, handle } = session;
    await afterReads();
    if (!group.resume()) await session.queue.enter('transaction');
    try {
      // A transaction that must be on the disk cannot share a COMMIT that does not wait for the disk.
      if (group.size > 0 && group.mayLoseChanges && !this.#options.mayLoseChanges) commitGroup(session);
      // After transactions that wait for their COMMIT it is a savepoint of the same SQLite transaction: it is undone
      // alone.
      if (group.size > 0) handle.execute('SAVEPOINT member');
      else {
        chooseDurability(session, this.#options);
        await retryWhileBusy(() => session.handle.execute('BEGIN IMMEDIATE'));
      }
      this.#isInTransaction = true;
    } catch (error) {
      leaveQueue(session);
      throw error;
    }
  }

  /** Resolves when the changes are on the disk, possibly together with those of later transactions of the group. */
  commit(): Promise<void> {
    this.#assertInTransaction();
    const { group, handle } = this.#session;
    if (group.size > 0) handle.execute('RELEASE member');
    return this.#joinGroup();
  }

  /**
   * Never throws, so that the caller sees the error that caused the rollback. That error may depend on rows that
   * earlier members of the group wrote, so this resolves only when those are on the disk.
   */
  async rollback(): Promise<void> {
    if (!this.#isInTransaction) return;
    this.#undo();
    if (this.#session.group.size > 0) await this.#joinGroup().catch(() => undefined);
  }

  release(): void {
    if (!this.#isInTransaction) return;
    this.#undo();
    this.#isInTransaction = false;
    leaveQueue(this.#session);
  }

  #joinGroup(): Promise<void> {
    const committed = this.#session.group.join();
    this.#isInTransaction = false;
    leaveQueue(this.#session);
    return committed;
  }

  #undo(): void {
    const { group, handle } = this.#session;
    if (group.size === 0) undoAll(this.#session);
    else if (!handle.isInTransaction) group.end(lostTransaction());
    else undoMember(this.#session);
  }

  /** SQLite rolls back a transaction on some errors (disk full, I/O). Later statements must not run outside it. */
  #assertInTransaction(): void {
    if (this.#session.handle.isInTransaction) return;
    throw lostTransaction();
  }
}

function lostTransaction(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('The transaction was rolled back after an earlier error: start it again.');
}

function undoAll(session: SqliteSession): void {
  if (!session.handle.isInTransaction) return;
  try {
    session.handle.execute('ROLLBACK');
  } catch {
    session.reopen();
  }
}

function undoMember(session: SqliteSession): void {
  try {
    session.handle.execute('ROLLBACK TO member; RELEASE member');
  } catch (error) {
    undoAll(session);
    session.group.end(error);
  }
}

const durable: ConnectionOptions = { mayLoseChanges: false };

/** Sets whether the next COMMIT waits for the disk. SQLite ignores it within a transaction. */
function chooseDurability({ group, handle }: SqliteSession, { mayLoseChanges }: ConnectionOptions): void {
  if (group.mayLoseChanges === mayLoseChanges) return;
  handle.execute(`PRAGMA synchronous = ${mayLoseChanges ? 'NORMAL' : 'FULL'}`);
  group.mayLoseChanges = mayLoseChanges;
}

/** Admits the next transaction: one that shares the pending COMMIT, or, after the COMMIT, the next waiting one. */
function leaveQueue(session: SqliteSession): void {
  const { queue, group } = session;
  if (group.size > 0 && group.size < maxGroupSize) {
    if (queue.admitNext()) return;
    if (!queue.hasWaitingTransaction) {
      group.keepOpen(() => settle(session));
      return;
    }
  }
  settle(session);
}

/** Commits the group and admits the statements and transactions that wait. */
function settle(session: SqliteSession): void {
  if (session.group.size > 0) commitGroup(session);
  session.queue.leave();
}

function commitGroup(session: SqliteSession): void {
  try {
    session.handle.execute('COMMIT');
  } catch (error) {
    undoAll(session);
    session.group.end(error);
    return;
  }
  session.group.end();
}

function createDriver(session: SqliteSession, options: ConnectionOptions): Driver {
  const own = (connection: DatabaseConnection) => connection as SqliteConnection;
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(new SqliteConnection(session, options)),
    beginTransaction: (connection) => own(connection).begin(),
    commitTransaction: (connection) => Promise.try(() => own(connection).commit()),
    rollbackTransaction: (connection) => own(connection).rollback(),
    releaseConnection: (connection) => Promise.try(() => own(connection).release()),
    destroy: () => Promise.resolve(),
  };
}

/** Returns Kysely's dialect for SQLite with this driver. */
export function dialectOf(driver: Driver): Dialect {
  return {
    createAdapter: () => new EmbeddedAdapter(),
    createDriver: () => driver,
    createIntrospector: (query) => new SqliteIntrospector(query),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Returns Kysely's dialect for the statements and transactions of a session. */
export function createDialect(session: SqliteSession, options: ConnectionOptions = durable): Dialect {
  return dialectOf(createDriver(session, options));
}

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
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
import { DatabaseUnavailableError, isSqliteBusy } from '../errors.ts';
import { isScript } from '../script.ts';
import { assertSqlValues } from '../sql-values.ts';
import { assertOutsideTransaction } from '../transaction-scope.ts';
import type { CommitGroup } from './commit-group.ts';
import type { SqliteHandle } from './handle.ts';
import type { TransactionQueue } from './transaction-queue.ts';

/** The queue already serialises, so Kysely need not. */
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

/** Tries `statement` until no other process holds the lock, for 5 s at most, without blocking this process. */
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

/** So many transactions share a commit at most: an answer waits for no more than the work of the others. */
const maxGroupSize = 64;

/** What the connections of one database share. `reopen` replaces a handle whose transaction cannot be ended. */
export interface SqliteSession {
  readonly queue: TransactionQueue;
  readonly group: CommitGroup;
  readonly handle: SqliteHandle;
  /** Each statement in a transaction lets other work of the process run before it answers. */
  readonly yields: boolean;
  /** Throws unless the file is open and the one that was opened. */
  assertOpen(use: 'read' | 'write'): void;
  /** Never throws. */
  reopen(): void;
}

/** `WITH` and whatever else may write counts as a write: a read that waits for nothing is the lesser mistake. */
function kindOf({ sql }: CompiledQuery): 'read' | 'write' {
  return /^\s*select\b/i.test(sql) ? 'read' : 'write';
}

function toQueryResult<Row>(handle: SqliteHandle, query: CompiledQuery): QueryResult<Row> {
  assertSqlValues(query.parameters);
  const { rows, changes } = isScript(query) ? handle.runScript(query.sql) : handle.run(query.sql, query.parameters);
  return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
}

/** Takes the queue only when a transaction begins; until then each statement stands alone. */
class SqliteConnection implements DatabaseConnection {
  readonly #session: SqliteSession;
  #hasTurn = false;

  constructor(session: SqliteSession) {
    this.#session = session;
  }

  executeQuery<Row>(compiledQuery: CompiledQuery): Promise<QueryResult<Row>> {
    return Promise.try(() =>
      this.#hasTurn ? this.#executeInTransaction<Row>(compiledQuery) : this.#executeAlone<Row>(compiledQuery),
    );
  }

  #executeInTransaction<Row>(compiledQuery: CompiledQuery): MaybePromise<QueryResult<Row>> {
    this.#assertInTransaction();
    const result = toQueryResult<Row>(this.#session.handle, compiledQuery);
    return this.#session.yields ? nextTurn(result) : result;
  }

  #executeAlone<Row>(compiledQuery: CompiledQuery): MaybePromise<QueryResult<Row>> {
    const session = this.#session;
    session.assertOpen(kindOf(compiledQuery));
    if (session.group.resume()) settle(session);
    const statement = () => toQueryResult<Row>(session.handle, compiledQuery);
    if (session.queue.turn !== undefined) {
      assertOutsideTransaction(session);
      if (session.queue.blocks(kindOf(compiledQuery))) return retryWhileBusy(() => session.queue.afterTurn(statement));
    }
    try {
      return statement();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return retryWhileBusy(() => session.queue.afterTurn(statement));
    }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are not streamed: read them in pages by a cursor.');
  }

  async begin(): Promise<void> {
    const session = this.#session;
    if (!session.group.resume()) await session.queue.enter('transaction');
    try {
      // Behind others that wait for their commit it is a part of the same transaction of SQLite, to be undone alone.
      if (session.group.size > 0) session.handle.execute('SAVEPOINT member');
      else await retryWhileBusy(() => session.handle.execute('BEGIN IMMEDIATE'));
      this.#hasTurn = true;
    } catch (error) {
      endTurn(session);
      throw error;
    }
  }

  /** Resolves when the changes are on the disk: at once, or with those of the transactions that wait behind this one. */
  commit(): Promise<void> {
    this.#assertInTransaction();
    const { group, handle } = this.#session;
    if (group.size > 0) handle.execute('RELEASE member');
    return this.#joinGroup();
  }

  /**
   * Never throws, so that the error which caused it stays the one that is seen. That error may come of what others
   * wrote before, so it is answered when theirs is on the disk.
   */
  async rollback(): Promise<void> {
    if (!this.#hasTurn) return;
    this.#undo();
    if (this.#session.group.size > 0) await this.#joinGroup().catch(() => undefined);
  }

  release(): void {
    if (!this.#hasTurn) return;
    this.#undo();
    this.#hasTurn = false;
    endTurn(this.#session);
  }

  #joinGroup(): Promise<void> {
    const committed = this.#session.group.join();
    this.#hasTurn = false;
    endTurn(this.#session);
    return committed;
  }

  #undo(): void {
    const { group, handle } = this.#session;
    if (group.size === 0) undoAll(this.#session);
    else if (!handle.isInTransaction) group.end(lostTransaction());
    else undoMember(this.#session);
  }

  /** SQLite ends a transaction by itself on some errors (disk full, I/O); what follows must not run outside it. */
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

/** Lets the next one in: a transaction that shares the coming commit, or whoever waits after the commit. */
function endTurn(session: SqliteSession): void {
  const { queue, group } = session;
  if (group.size > 0 && group.size < maxGroupSize) {
    if (queue.passOn()) return;
    if (!queue.isAwaited) {
      group.linger(() => settle(session));
      return;
    }
  }
  settle(session);
}

/** Commits what waits for it, and lets in whoever waits for that. */
export function settle(session: SqliteSession): void {
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

function createDriver(session: SqliteSession): Driver {
  const own = (connection: DatabaseConnection) => connection as SqliteConnection;
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(new SqliteConnection(session)),
    beginTransaction: (connection) => own(connection).begin(),
    commitTransaction: (connection) => Promise.try(() => own(connection).commit()),
    rollbackTransaction: (connection) => own(connection).rollback(),
    releaseConnection: (connection) => Promise.try(() => own(connection).release()),
    destroy: () => Promise.resolve(),
  };
}

/** Kysely's dialect for the statements and transactions of a session. */
export function createDialect(session: SqliteSession): Dialect {
  return {
    createAdapter: () => new EmbeddedAdapter(),
    createDriver: () => createDriver(session),
    createIntrospector: (query) => new SqliteIntrospector(query),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

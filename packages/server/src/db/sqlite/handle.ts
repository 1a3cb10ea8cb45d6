import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqlValue } from '../database.ts';
import { DatabaseUnavailableError, fromSqliteError, isSqliteDamage } from '../errors.ts';

/** How a SQLite file is opened. */
export interface SqliteOptions {
  readonly readOnly?: boolean;
  /** Creates a missing file with mode 0600. Without it a missing file is an error. */
  readonly create?: boolean;
  /** Maximum size of the page cache in KiB. Default: 256. */
  readonly cacheKib?: number;
  /** The owner whose id the file must contain. Without it the owner is not checked. */
  readonly owner?: FileOwner;
}

/** The id by which one tenant's file is distinguished from another's, and how it is read. */
export interface FileOwner {
  readonly id: string;
  /** A query for the id in the file. */
  readonly sql: string;
}

type Row = Record<string, unknown>;

interface PermanentStatement {
  readonly statement: StatementSync;
  /** Undefined if the statement returns no rows. */
  readonly toRow: ToRow | undefined;
}

interface CachedStatement extends PermanentStatement {
  readonly statement: StatementSync & { close(): void };
  readonly isRead: boolean;
}

/** The rows of a statement, and how many rows it changed or returned. */
export interface StatementResult {
  readonly rows: Row[];
  readonly changes: number;
}

/**
 * One connection to a SQLite file. Everything in it is synchronous. The reads outside a transaction in one iteration of
 * the event loop share one read transaction, because its locks cost as much as a read (docs/decisions/0005-hot-path.md).
 */
export interface SqliteHandle {
  /** True in a transaction that `execute` began. */
  readonly isInTransaction: boolean;
  /** True once damage was found. Cached pages may then be damaged too, even after the file was repaired. */
  readonly isDamaged: boolean;
  run(sql: string, parameters: readonly SqlValue[]): StatementResult;
  /** Runs a statement that returns no rows once for each list of parameters. Returns the number of changed rows. */
  runEach(sql: string, parameters: readonly (readonly SqlValue[])[]): StatementResult;
  /** Returns the first row of a statement that stays prepared until the handle is closed, identified by `identity`. */
  first(identity: object, sql: string, parameters: readonly SqlValue[]): Row | undefined;
  /** Runs several statements without parameters and discards their results. */
  runScript(sql: string): StatementResult;
  /** Runs SQL that changes no data and returns no rows: the beginning and the end of a transaction. */
  execute(sql: string): void;
  close(): void;
}

/** How long a statement blocks this process while another process holds the lock. Longer waits are asynchronous. */
const busyTimeoutMs = 20;
// A prepared statement takes about 10 KiB of memory, times the number of open tenants; preparing one takes 5 µs.
const maxCachedStatements = 8;

/**
 * SQLite takes this memory page by page, and thousands of files may be open. A larger cache does not make a validation
 * cheaper, not even of one of a million licenses (docs/benchmarks.md).
 */
const defaultCacheKib = 256;

/**
 * The size to which the write-ahead log is shortened. Ordinary writes fill it to 1,000 pages (4.1 MB) and then overwrite it.
 * A shorter log would grow again with most commits, and a flush that extends a file takes a third more CPU.
 */
const logBytesMax = 5 * 1024 * 1024;

function pragmas(options: SqliteOptions): string {
  const { cacheKib = defaultCacheKib } = options;
  const statements = [
    // The first pragma reads the schema through a cache of the default size. Shrinking releases it (50 KiB).
    `PRAGMA cache_size = -${cacheKib}`,
    'PRAGMA shrink_memory',
    'PRAGMA trusted_schema = OFF',
    'PRAGMA foreign_keys = ON',
    // What a savepoint would restore stays in memory. Otherwise SQLite writes more than 64 KiB of it into a file.
    'PRAGMA temp_store = MEMORY',
  ];
  if (!options.readOnly) {
    // Overwrites deleted data with zeros, because persons may request the erasure of their data.
    statements.push('PRAGMA secure_delete = ON');
    statements.push(
      'PRAGMA journal_mode = WAL',
      'PRAGMA synchronous = FULL',
      `PRAGMA journal_size_limit = ${logBytesMax}`,
    );
  }
  return statements.join(';');
}

/**
 * Creates an empty file in WAL mode that only its owner may read, because names and addresses in it are not encrypted.
 * Flushes once instead of SQLite's four times. Without that flush SQLite would discard the write-ahead log after a
 * power failure, because the log would belong to an empty file.
 */
function createFile(path: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL');
    database.close();
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function openFile(path: string, options: SqliteOptions): DatabaseSync {
  if (options.create && !existsSync(path)) createFile(path);
  const url = pathToFileURL(path);
  // Without a mode SQLite would create an empty database where a tenant's file is missing.
  url.searchParams.set('mode', options.readOnly ? 'ro' : 'rw');
  const database = new DatabaseSync(url, {
    readOnly: options.readOnly ?? false,
    timeout: busyTimeoutMs,
    defensive: true,
    enableDoubleQuotedStringLiterals: false,
  });
  try {
    database.exec(pragmas(options));
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** How often a handle of this process has committed, or rolled back. */
let commits = 0;

/**
 * Identifies the moments between which no request arrives and this process commits nothing, so that they can share a read
 * transaction. libuv counts the iterations of the event loop, each of which begins with a poll, and the events of each
 * poll once they are handled. What is received in a poll was sent before the next one, so a transaction that began since
 * the last poll contains every commit that a sender can have waited for. All three numbers only grow, so their sum is
 * equal only if each of them is.
 */
function currentMoment(): number {
  const { loopCount, events } = performance.nodeTiming.uvMetricsInfo;
  return loopCount + events + commits;
}

/** Makes a row from the values of its columns. */
type ToRow = (values: readonly SqlValue[]) => Row;

/** By the names of their columns, as the fields of an object literal. */
const rowMakers = new Map<string, ToRow>();

function rowMakerOf(statement: StatementSync): ToRow {
  const fields = statement.columns().map(({ name }, index) => `${JSON.stringify(name)}: values[${index}]`);
  const literal = fields.join();
  let maker = rowMakers.get(literal);
  if (maker === undefined) {
    maker = new Function('values', `return { ${literal} };`) as ToRow;
    rowMakers.set(literal, maker);
  }
  return maker;
}

/**
 * Makes a statement return arrays, and returns what makes rows from them; undefined if it returns no rows. V8 would give
 * each object that the driver makes a hidden class of its own, so that no access to a column could be compiled. The types of
 * `get` and `all` do not know that the statement returns arrays then, so their callers cast.
 */
function rowsOf(statement: StatementSync): ToRow | undefined {
  let columnCount = statement.columns().length;
  if (columnCount === 0) return undefined;
  statement.setReturnArrays(true);
  let maker = rowMakerOf(statement);
  return (values) => {
    // SQLite has compiled `select *` again, because a migration added a column.
    if (values.length !== columnCount) {
      columnCount = values.length;
      maker = rowMakerOf(statement);
    }
    return maker(values);
  };
}

/** Caches prepared statements by their text. Closes the least recently used one when there are too many. */
function createStatementCache(database: DatabaseSync) {
  const statements = new Map<string, CachedStatement>();
  return (sql: string): CachedStatement => {
    const known = statements.get(sql);
    if (known !== undefined) {
      statements.delete(sql);
      statements.set(sql, known);
      return known;
    }
    const statement = database.prepare(sql) as CachedStatement['statement'];
    const cached = { statement, toRow: rowsOf(statement), isRead: /^\s*select\b/i.test(sql) };
    statements.set(sql, cached);
    const [oldest] = statements;
    if (statements.size > maxCachedStatements && oldest !== undefined) {
      statements.delete(oldest[0]);
      oldest[1].statement.close();
    }
    return cached;
  };
}

/** Opens a SQLite file. Throws a `DatabaseUnavailableError` if it is missing, damaged or not accessible. */
export function openSqliteHandle(path: string, options: SqliteOptions): SqliteHandle {
  let isDamaged = false;
  let isClosed = false;
  const converted = (error: unknown): unknown => {
    if (isClosed) return new DatabaseUnavailableError(`The database ${path} has been closed: try again.`, error);
    isDamaged ||= isSqliteDamage(error);
    return fromSqliteError(error, path);
  };
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw converted(error);
    }
  };
  const database = guarded(() => openFile(path, options));
  const statementFor = createStatementCache(database);
  const permanent = new Map<object, PermanentStatement>();
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  /** The moment at which the shared read transaction began; undefined while none is open. */
  let readingSince: number | undefined;

  /** Begins the shared read transaction, unless one is open that contains everything a caller may know of. */
  function joinReads(): void {
    const moment = currentMoment();
    if (readingSince === moment) return;
    endReads();
    if (database.isTransaction) return;
    begin.run();
    readingSince = moment;
    setImmediate(tryToEndReads);
  }

  /** Runs what may write: outside the shared reads, whose transaction could not write after another commit. */
  function change<Result>(work: () => Result): Result {
    endReads();
    try {
      return work();
    } finally {
      if (!database.isTransaction) commits += 1;
    }
  }

  function endReads(): void {
    if (readingSince === undefined || isClosed) return;
    // An I/O error has already ended it.
    if (database.isTransaction) commit.run();
    readingSince = undefined;
  }

  /** For the event loop, where a damaged file would end the process. The next statement fails instead. */
  function tryToEndReads(): void {
    try {
      endReads();
    } catch (error) {
      isDamaged ||= isSqliteDamage(error);
    }
  }

  return {
    get isInTransaction() {
      return !isClosed && readingSince === undefined && database.isTransaction;
    },
    get isDamaged() {
      return isDamaged;
    },
    run(sql, parameters) {
      return guarded(() => {
        const { statement, toRow, isRead } = statementFor(sql);
        const execute = (): StatementResult => {
          if (toRow === undefined) return { rows: [], changes: Number(statement.run(...parameters).changes) };
          const rows = (statement.all(...parameters) as unknown as SqlValue[][]).map(toRow);
          return { rows, changes: rows.length };
        };
        if (!isRead) return change(execute);
        joinReads();
        return execute();
      });
    },
    runEach(sql, parameters) {
      return guarded(() => {
        const { statement } = statementFor(sql);
        return change(() => {
          let changes = 0;
          for (const values of parameters) changes += Number(statement.run(...values).changes);
          return { rows: [], changes };
        });
      });
    },
    first(identity, sql, parameters) {
      try {
        let prepared = permanent.get(identity);
        if (prepared === undefined) {
          const statement = database.prepare(sql);
          prepared = { statement, toRow: rowsOf(statement) };
          permanent.set(identity, prepared);
        }
        joinReads();
        const values = prepared.statement.get(...parameters) as SqlValue[] | undefined;
        return values === undefined ? undefined : prepared.toRow?.(values);
      } catch (error) {
        throw converted(error);
      }
    },
    runScript(sql) {
      this.execute(sql);
      return { rows: [], changes: 0 };
    },
    execute(sql) {
      guarded(() => change(() => database.exec(sql)));
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      database.close();
    },
  };
}

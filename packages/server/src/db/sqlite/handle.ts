import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ChangeMark } from '../change-mark.ts';
import type { SqlValue } from '../database.ts';
import { DatabaseUnavailableError, fromSqliteError, isSqliteDamage } from '../errors.ts';
import { createLicenseTriggers } from './license-triggers.ts';
import { initialKib, largeFileKib, type PageCaches } from './page-caches.ts';
import type { Discarded, WatchedChanges } from './watched-changes.ts';

/** How a SQLite file is opened. */
export interface SqliteOptions {
  readonly readOnly?: boolean;
  /** Creates a missing file with mode 0600. Without it a missing file is an error. */
  readonly create?: boolean;
  /** Size of the page cache in KiB. Default: 512, or the size that `pageCaches` gives. */
  readonly cacheKib?: number;
  /** The page caches among which this file's share of the memory is decided. */
  readonly pageCaches?: PageCaches;
  /**
   * Keeps rows of prepared reads until anything is committed (unchanged-reads.ts). Use it for a few frequently read
   * rows.
   */
  readonly rememberReads?: boolean;
  /** Changes that do not discard all cached values. Default: every statement that may write discards them. */
  readonly watched?: WatchedChanges;
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

interface CachedStatement {
  readonly statement: StatementSync & { close(): void };
  readonly returnsRows: boolean;
  readonly isRead: boolean;
}

/** The rows of a statement, and how many rows it changed or returned. */
export interface StatementResult {
  readonly rows: Row[];
  readonly changes: number;
}

/** One connection to a SQLite file. Everything in it is synchronous. */
export interface SqliteHandle {
  readonly isInTransaction: boolean;
  /** True once damage was found. Cached pages may then be damaged too, even after the file was repaired. */
  readonly isDamaged: boolean;
  /**
   * Returns another mark after every commit of another connection, and after every statement of this one that discards
   * everything, which is the default. Undefined while it cannot be known which licenses a statement changes.
   */
  changeMark(): ChangeMark | undefined;
  run(sql: string, parameters: readonly SqlValue[], discarded?: Discarded): StatementResult;
  /** Runs a statement that returns no rows once for each list of parameters. Returns the number of changed rows. */
  runEach(sql: string, parameters: readonly (readonly SqlValue[])[], discarded?: Discarded): StatementResult;
  /** Returns the first row of a statement that stays prepared until the handle is closed, identified by `identity`. */
  first(identity: object, sql: string, parameters: readonly SqlValue[]): Row | undefined;
  /** Runs several statements without parameters and discards their results. */
  runScript(sql: string): StatementResult;
  /** Runs SQL that changes no data and returns no rows: the beginning and the end of a transaction. */
  execute(sql: string): void;
  /** Sets the maximum size of the page cache, and frees what exceeds it. */
  resizePageCache(kib: number): void;
  close(): void;
}

/** How long a statement blocks this process while another process holds the lock. Longer waits are asynchronous. */
const busyTimeoutMs = 20;
// A prepared statement takes about 10 KiB of memory, times the number of open tenants; preparing one takes 5 µs.
const maxCachedStatements = 8;

function pragmas(options: SqliteOptions): string {
  const { cacheKib = options.pageCaches === undefined ? largeFileKib : initialKib } = options;
  const statements = [
    // The first pragma reads the schema through a cache of the default size. Shrinking releases it (50 KiB).
    `PRAGMA cache_size = -${cacheKib}`,
    'PRAGMA shrink_memory',
    'PRAGMA trusted_schema = OFF',
    'PRAGMA foreign_keys = ON',
  ];
  if (!options.readOnly) {
    // Overwrites deleted data with zeros, because persons may request the erasure of their data.
    statements.push('PRAGMA secure_delete = ON');
    statements.push('PRAGMA journal_mode = WAL', 'PRAGMA synchronous = FULL', 'PRAGMA journal_size_limit = 1048576');
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
    const returnsRows = statement.columns().length > 0;
    const cached = { statement, returnsRows, isRead: /^\s*select\b/i.test(sql) };
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
  const permanent = new Map<object, StatementSync>();
  let dataVersion: StatementSync | undefined;
  let mark: ChangeMark | undefined;
  let markVersion = 0;
  let recordsLicenses = options.watched?.licenseColumns === undefined;
  /** How many rows of licenses were recorded. */
  let recorded = 0;

  /** Takes the locks of a read transaction. */
  function readDataVersion(): number {
    // Changes with each commit of another connection (https://sqlite.org/pragma.html#pragma_data_version).
    dataVersion ??= database.prepare('PRAGMA data_version');
    return Number(dataVersion.get()?.['data_version']);
  }

  function currentMark(): ChangeMark | undefined {
    if (!recordsLicenses && !recordLicenses()) return undefined;
    const version = readDataVersion();
    if (mark === undefined || mark.isFull || version !== markVersion) mark = new ChangeMark();
    markVersion = version;
    return mark;
  }

  function recordLicenses(): boolean {
    if (options.watched === undefined) return true;
    recordsLicenses = createLicenseTriggers(database, options.watched, (licenseId) => {
      recorded += 1;
      mark?.record(licenseId);
    });
    return recordsLicenses;
  }

  /** Discards what a statement discards. A statement whose licenses were not recorded discards everything. */
  function discarding(discarded: Discarded, execute: () => StatementResult): StatementResult {
    const before = recorded;
    if (discarded === 'everything') mark = undefined;
    const result = execute();
    if (discarded === 'licenses' && result.changes > 0 && recorded === before) mark = undefined;
    return result;
  }

  return {
    get isInTransaction() {
      return !isClosed && database.isTransaction;
    },
    get isDamaged() {
      return isDamaged;
    },
    run(sql, parameters, discarded = 'everything') {
      return guarded(() => {
        const { statement, returnsRows, isRead } = statementFor(sql);
        const execute = (): StatementResult => {
          if (!returnsRows) return { rows: [], changes: Number(statement.run(...parameters).changes) };
          const rows = statement.all(...parameters);
          return { rows, changes: rows.length };
        };
        return isRead ? execute() : discarding(discarded, execute);
      });
    },
    runEach(sql, parameters, discarded = 'everything') {
      return guarded(() => {
        const { statement } = statementFor(sql);
        return discarding(discarded, () => {
          let changes = 0;
          for (const values of parameters) changes += Number(statement.run(...values).changes);
          return { rows: [], changes };
        });
      });
    },
    first(identity, sql, parameters) {
      try {
        let statement = permanent.get(identity);
        if (statement === undefined) {
          statement = database.prepare(sql);
          permanent.set(identity, statement);
        }
        return statement.get(...parameters) as Row | undefined;
      } catch (error) {
        throw converted(error);
      }
    },
    changeMark() {
      return guarded(currentMark);
    },
    runScript(sql) {
      mark = undefined;
      this.execute(sql);
      return { rows: [], changes: 0 };
    },
    execute(sql) {
      guarded(() => database.exec(sql));
    },
    resizePageCache(kib) {
      guarded(() => database.exec(`PRAGMA cache_size = -${kib}; PRAGMA shrink_memory`));
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      database.close();
    },
  };
}

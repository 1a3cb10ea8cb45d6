import { type Stats, statSync } from 'node:fs';
import { Kysely, type Transaction } from 'kysely';
import type { Database, PreparedRead, SqlValue, TransactionOptions } from '../database.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { compileRead } from '../prepared-queries.ts';
import { assertOutsideTransaction, createTransactionRunner, type TransactionRunner } from '../transaction-scope.ts';
import { createBulkDialect } from './bulk-connection.ts';
import { openOnThread, type ThreadConnection } from './bulk-threads.ts';
import { createDialect, retryWhileBusy, type SqliteSession } from './connection.ts';
import { type FileOwner, openSqliteHandle, type SqliteHandle, type SqliteOptions } from './handle.ts';
import { createCommitGroup, createTransactionQueue } from './transaction-queue.ts';
import { readTogether } from './turns.ts';

const bulkCacheKib = 32 * 1024;
/** The statements of a migration take milliseconds in a smaller file. */
const longFromBytes = 4 * 1024 * 1024;
/** Files up to this size are rebuilt. Writers of the database wait, up to this size for less than half a second. */
const vacuumedBytesMax = 64 * 1024 * 1024;

/** Copies the write-ahead log into the file and empties it. Throws while another process reads from the log. */
async function truncateLog(connection: ThreadConnection): Promise<void> {
  const { rows } = await connection.run('PRAGMA wal_checkpoint(TRUNCATE)', []);
  if (rows[0]?.['busy'] === 0) return;
  throw new DatabaseUnavailableError('The write-ahead log is in use by another process: try again in a moment.');
}

/** Reads the owner's id on a new connection, because the shared connection may have cached pages of a replaced file. */
function isStillOwned(path: string, owner: FileOwner | undefined): boolean {
  if (owner === undefined) return true;
  try {
    const handle = openSqliteHandle(path, { readOnly: true });
    try {
      const [row] = handle.run(owner.sql, []).rows;
      return row !== undefined && Object.values(row)[0] === owner.id;
    } finally {
      handle.close();
    }
  } catch {
    return false;
  }
}

class SqliteDatabase<Tables> implements Database<Tables>, SqliteSession {
  readonly engine = 'sqlite';
  readonly query: Kysely<Tables>;
  #unflushed: Kysely<Tables> | undefined;
  readonly queue = createTransactionQueue();
  readonly group = createCommitGroup();
  handle: SqliteHandle;
  readonly #path: string;
  readonly #options: SqliteOptions;
  #watch: SqliteFileWatch;
  #isLost = false;
  readonly #transactions: TransactionRunner<Tables>;
  #closing: Promise<void> | undefined;

  constructor(path: string, options: SqliteOptions) {
    this.#path = path;
    this.#options = options;
    this.handle = openSqliteHandle(path, options);
    this.#watch = this.#watchFile();
    this.query = new Kysely<Tables>({ dialect: createDialect(this) });
    this.#transactions = createTransactionRunner(this);
  }

  async transaction<Result>(
    work: (tx: Transaction<Tables>) => Promise<Result>,
    { mayTakeLong = false, mayLoseChanges = false }: TransactionOptions = {},
  ): Promise<Result> {
    // A running transaction has checked the file just before.
    this.assertOpen(this.queue.current === undefined ? 'write' : 'read');
    if (mayTakeLong && statSync(this.#path).size >= longFromBytes) return await this.bulkTransaction(work);
    return await this.#transactions.run(mayLoseChanges ? this.#unflushedQuery : this.query, work);
  }

  /** Created when it is first used, because most open databases write nothing. */
  get #unflushedQuery(): Kysely<Tables> {
    this.#unflushed ??= new Kysely<Tables>({ dialect: createDialect(this, { mayLoseChanges: true }) });
    return this.#unflushed;
  }

  async bulkTransaction<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    this.assertOpen('write');
    return await this.#transactions.track(async () => {
      await this.queue.enter('bulk');
      try {
        return await this.#onThread(async (connection) => {
          const query = new Kysely<Tables>({ dialect: createBulkDialect(connection) });
          const result = await this.#transactions.run(query, work);
          // Otherwise the next transaction of this process would truncate the long log.
          await truncateLog(connection).catch(() => undefined);
          return result;
        });
      } finally {
        this.queue.leave();
      }
    });
  }

  async forgetDeleted({ rebuild }: { readonly rebuild: boolean }): Promise<void> {
    this.assertOpen('write');
    await this.#transactions.track(async () => {
      await this.queue.enter('bulk');
      try {
        await this.#onThread(async (connection) => {
          // Deleted content is overwritten with zeros in place. Only the log and pages that were rearranged can hold a
          // copy.
          const isSmall = statSync(this.#path).size <= vacuumedBytesMax;
          if (rebuild && isSmall) await retryWhileBusy(() => connection.execute('VACUUM'));
          await retryWhileBusy(() => truncateLog(connection));
        });
      } finally {
        this.queue.leave();
      }
    });
  }

  async #onThread<Result>(work: (connection: ThreadConnection) => Promise<Result>): Promise<Result> {
    // Rows with random keys change pages all over their indexes. With a small cache each page would be written many
    // times.
    const { owner: _owner, ...options } = this.#options;
    const connection = await openOnThread(this.#path, { ...options, cacheKib: bulkCacheKib });
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  first<Row>(read: PreparedRead<Tables, Row>, args: readonly SqlValue[]): Promise<Row | undefined> {
    // Now, because the reads that wait run in the context of the first of them.
    if (this.queue.current !== undefined) assertOutsideTransaction(this);
    return readTogether(() =>
      this.queue.blocks('read')
        ? this.queue.afterCurrent(() => this.#firstNow(read, args))
        : this.#firstNow(read, args),
    );
  }

  #firstNow<Row>(read: PreparedRead<Tables, Row>, args: readonly SqlValue[]): Row | undefined {
    this.assertOpen('read');
    const { sql, bind } = compileRead('sqlite', this.query, read);
    return this.handle.first(read, sql, bind(args)) as Row | undefined;
  }

  assertOpen(use: 'read' | 'write'): void {
    if (this.#closing !== undefined) {
      throw new DatabaseUnavailableError(`The database ${this.#path} has been closed: open it again to use it.`);
    }
    if (this.#isInPlace(use)) return;
    // Without an owner to check, the file that is there now is opened. Otherwise the caller must open the database
    // again.
    const isIdle = this.queue.current === undefined && this.group.size === 0;
    if (isIdle && this.#options.owner === undefined) this.reopen();
    if (!this.#isLost) return;
    throw new DatabaseUnavailableError(
      `The file of the database ${this.#path} is damaged, missing or replaced since it was opened: restore the right file.`,
    );
  }

  hasConnectionAtHand(): boolean {
    return true;
  }

  isIntact(): boolean {
    return this.#isInPlace('read');
  }

  #isInPlace(use: 'read' | 'write'): boolean {
    this.#isLost ||= this.handle.isDamaged || !this.#watch.isInPlace(use);
    return !this.#isLost;
  }

  #watchFile(): SqliteFileWatch {
    return new SqliteFileWatch(this.#path, () => isStillOwned(this.#path, this.#options.owner));
  }

  reopen(): void {
    try {
      this.handle.close();
      this.handle = openSqliteHandle(this.#path, { ...this.#options, create: false });
      this.#watch = this.#watchFile();
      this.#isLost = !isStillOwned(this.#path, this.#options.owner);
    } catch {
      this.#isLost = true;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#transactions.settled().then(() => this.handle.close());
    return this.#closing;
  }
}

/**
 * Opens a SQLite database with one connection. Transactions run one at a time; single statements run between them. A
 * bulk transaction has its own connection, in a thread. Throws a `DatabaseUnavailableError` if the file is missing (without
 * `create`), damaged or not accessible.
 */
export function openSqlite<Tables>(path: string, options: SqliteOptions = {}): Database<Tables> {
  return new SqliteDatabase<Tables>(path, options);
}

/** Reads check the file at most once per second; writes check it every time. */
const checkEveryMs = 1_000;

/**
 * Checks whether the file of an open database is still the one that was opened. SQLite does not detect this: it would
 * continue with a deleted file, or mix cached pages with those of the file that replaced it.
 */
class SqliteFileWatch {
  readonly #path: string;
  /** Called after the file was written to: by another process, by a checkpoint, or by a copy over it. */
  readonly #isStillOwn: () => boolean;
  #seen: Stats | undefined;
  #nextCheckMs = 0;

  constructor(path: string, isStillOwn: () => boolean) {
    this.#path = path;
    this.#isStillOwn = isStillOwn;
    this.#seen = this.#stat();
    this.#nextCheckMs = performance.now() + checkEveryMs;
  }

  /** False if the file is missing, was replaced, or contains another database. */
  isInPlace(use: 'read' | 'write'): boolean {
    const nowMs = performance.now();
    if (use === 'read' && nowMs < this.#nextCheckMs) return true;
    const seen = this.#stat();
    if (seen === undefined || seen.ino !== this.#seen?.ino || seen.dev !== this.#seen.dev) return false;
    if (nowMs < this.#nextCheckMs) return true;
    this.#nextCheckMs = nowMs + checkEveryMs;
    const isWritten = seen.mtimeMs !== this.#seen.mtimeMs || seen.size !== this.#seen.size;
    this.#seen = seen;
    return !isWritten || this.#isStillOwn();
  }

  #stat(): Stats | undefined {
    try {
      return statSync(this.#path, { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }
}

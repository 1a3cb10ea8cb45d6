import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DatabaseUnavailableError, fromSqliteError, isSqliteBusy } from '../errors.ts';
import { captureLog, captureStatements } from './capture.ts';
import { changedRowsQuery, groupChanges, type Holder, type RowsQuery, rowsPerBatch, type Snapshot } from './copy.ts';
import { dropTriggerSql, type SealTrigger, sealStatements, sealTriggersSql } from './seal.ts';
import { sqliteRowsWithKeys, sqliteTables } from './sqlite-catalogue.ts';

const busyTimeoutMs = 5_000;
const cacheKib = 8 * 1024;
const pragmas = `PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${cacheKib}`;
const holdRetryMs = 10;
const captureWaitMs = 10_000;

function openFile(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  // Not read-only, because reading the write-ahead log of a killed service needs write access. Fails if the file is
  // missing.
  url.searchParams.set('mode', 'rw');
  return new DatabaseSync(url, { timeout: busyTimeoutMs, defensive: true, enableDoubleQuotedStringLiterals: false });
}

/** Yields the texts of rows in batches. */
function* batches(rows: Iterable<unknown>): Generator<string[]> {
  let batch: string[] = [];
  for (const row of rows) {
    batch.push((row as [string])[0]);
    if (batch.length < rowsPerBatch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function condition({ where }: Pick<RowsQuery, 'where'>): { readonly text: string; readonly values: string[] } {
  return where === undefined ? { text: '', values: [] } : { text: ` where ${where.column} = ?`, values: [where.value] };
}

interface Session {
  readonly database: DatabaseSync;
  /** Runs `work` and converts the errors of SQLite (`fromSqliteError`). */
  guarded<Result>(work: () => Result): Result;
}

function openSession(path: string): Session {
  const guarded: Session['guarded'] = (work) => {
    try {
      return work();
    } catch (error) {
      throw fromSqliteError(error, path);
    }
  };
  const database = guarded(() => openFile(path));
  return { database, guarded };
}

/** Starts the read transaction, whose state is that of the first read. */
function readSnapshot(session: Session): Snapshot {
  const newest = session.database.prepare('select max(name) as name from kysely_migration').get();
  return createSnapshot(session, String(newest?.['name']));
}

/** Reads a SQLite file in one read transaction. Other connections continue to write to the write-ahead log. */
export function openSqliteSnapshot(path: string): Snapshot {
  const session = openSession(path);
  try {
    return session.guarded(() => {
      session.database.exec(`${pragmas}; BEGIN`);
      return readSnapshot(session);
    });
  } catch (error) {
    session.database.close();
    throw error;
  }
}

/**
 * Opens a SQLite file to hold its write lock: other connections can read, and wait to write. Retries every 10 ms,
 * without blocking the process, until it gets the lock.
 */
export function openSqliteHolder(path: string): Holder {
  const session = openSession(path);
  const { database, guarded } = session;
  guarded(() => database.exec(`${pragmas}; PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL`));
  return {
    async hold(waitMs) {
      await beginImmediately(session, waitMs);
      return {
        ...guarded(() => readSnapshot(session)),
        seal: (sealId) => Promise.try(() => guarded(() => seal(database, sealId))),
        close: () => Promise.try(() => endTransaction(session)),
      };
    },
    close: () => Promise.resolve(database.close()),
  };
}

function endTransaction({ database, guarded }: Session): void {
  if (database.isTransaction) guarded(() => database.exec('ROLLBACK'));
}

/** Installs a capture (capture.ts) in a SQLite file. Waits up to 10 s for the write lock. */
export async function captureSqlite(path: string, captureId: string): Promise<void> {
  const session = openSession(path);
  const { database, guarded } = session;
  try {
    guarded(() => database.exec(`${pragmas}; PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL`));
    await beginImmediately(session, captureWaitMs);
    const statements = captureStatements('sqlite', sqliteTables(database), captureId);
    guarded(() => database.exec(`${statements.join('; ')}; COMMIT`));
  } finally {
    database.close();
  }
}

async function beginImmediately({ database, guarded }: Session, waitMs: number): Promise<void> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return guarded(() => database.exec('BEGIN IMMEDIATE'));
    } catch (error) {
      const isBusy = error instanceof DatabaseUnavailableError && isSqliteBusy(error.cause);
      if (!isBusy || performance.now() > giveUpAt) throw error;
      await delay(holdRetryMs);
    }
  }
}

function seal(database: DatabaseSync, sealId: string): void {
  const former = database.prepare(sealTriggersSql.sqlite).all() as unknown as SealTrigger[];
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all();
  const statements = [
    ...former.map((trigger) => dropTriggerSql('sqlite', trigger)),
    ...sealStatements(
      'sqlite',
      tables.map(({ name }) => String(name)),
      sealId,
    ),
  ];
  database.exec(`${statements.join('; ')}; COMMIT`);
}

function createSnapshot({ database, guarded }: Session, schema: string): Snapshot {
  const findRows = sqliteRowsWithKeys(database);
  const changesQuery = (captureId: string, since: string) =>
    changedRowsQuery(captureLog('sqlite', captureId), `sequence > ${BigInt(since)}`);
  return {
    schema,
    tables: sqliteTables(database),
    count(query) {
      const { text, values } = condition(query);
      const statement = database.prepare(`select count(*) as rows from ${query.from}${text}`);
      return Promise.resolve(Number(guarded(() => statement.get(...values))?.['rows']));
    },
    async *rows(query) {
      const { text, values } = condition(query);
      const statement = database.prepare(`select json_array(${query.columns.join(', ')}) from ${query.from}${text}`);
      statement.setReturnArrays(true);
      const iterator = batches(statement.iterate(...values));
      for (;;) {
        const next = guarded(() => iterator.next());
        if (next.done) return;
        yield next.value;
      }
    },
    rowsWithKeys: (table, keys) => Promise.try(() => guarded(() => findRows(table, keys))),
    position: (captureId) =>
      Promise.try(() => {
        const newest = `select coalesce(max(sequence), 0) as position from ${captureLog('sqlite', captureId)}`;
        return String(guarded(() => database.prepare(newest).get())?.['position']);
      }),
    countChanges(captureId, since) {
      return this.count(changesQuery(captureId, since));
    },
    changes(captureId, since) {
      return groupChanges(this.rows(changesQuery(captureId, since)));
    },
    close: () => Promise.resolve(database.close()),
  };
}

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DatabaseUnavailableError, fromSqliteError, isSqliteBusy } from '../errors.ts';
import { type HeldDatabase, type RowsQuery, rowsPerBatch, type Snapshot } from './copy.ts';
import { dropTriggerSql, type SealTrigger, sealStatements, sealTriggersSql } from './seal.ts';
import { sqliteTables } from './sqlite-catalogue.ts';

const busyTimeoutMs = 5_000;
const cacheKib = 8 * 1024;
const pragmas = `PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${cacheKib}`;
const holdTimeoutMs = 10_000;
const holdRetryMs = 10;

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
 * Reads a SQLite file while holding its write lock: other connections can read, and wait to write. Retries every 10 ms
 * for at most 10 s, without blocking the process, until it gets the lock.
 */
export async function holdSqlite(path: string): Promise<HeldDatabase> {
  const session = openSession(path);
  const { database, guarded } = session;
  try {
    guarded(() => database.exec(`${pragmas}; PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL`));
    await beginImmediately(session);
    return {
      ...guarded(() => readSnapshot(session)),
      seal: (sealId) => Promise.try(() => guarded(() => seal(database, sealId))),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function beginImmediately({ database, guarded }: Session): Promise<void> {
  const giveUpAt = performance.now() + holdTimeoutMs;
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
    close: () => Promise.resolve(database.close()),
  };
}

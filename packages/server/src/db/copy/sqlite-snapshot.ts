import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fromSqliteError } from '../errors.ts';
import { type RowsQuery, rowsPerBatch, type Snapshot } from './copy.ts';
import { sqliteTables } from './sqlite-catalogue.ts';

const busyTimeoutMs = 5_000;
const cacheKib = 8 * 1024;

function openFile(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  // Not read-only: the log of a service that was killed must be readable. And a missing file is an error.
  url.searchParams.set('mode', 'rw');
  return new DatabaseSync(url, { timeout: busyTimeoutMs, defensive: true, enableDoubleQuotedStringLiterals: false });
}

/** The texts of rows, cut into batches. */
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

/** Reads a SQLite file in one read transaction: other connections go on writing, to the write-ahead log. */
export function openSqliteSnapshot(path: string): Snapshot {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw fromSqliteError(error, path);
    }
  };
  const database = guarded(() => openFile(path));
  try {
    return guarded(() => {
      database.exec(`PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${cacheKib}; BEGIN`);
      // The first read is what the transaction begins with.
      const newest = database.prepare('select max(name) as name from kysely_migration').get();
      return createSnapshot(database, { schema: String(newest?.['name']), guarded });
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

interface Ground {
  readonly schema: string;
  guarded<Result>(work: () => Result): Result;
}

function createSnapshot(database: DatabaseSync, { schema, guarded }: Ground): Snapshot {
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

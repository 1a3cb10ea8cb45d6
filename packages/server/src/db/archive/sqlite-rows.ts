import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqlValue } from '../database.ts';
import { fromSqliteError } from '../errors.ts';
import {
  type ArchivedTable,
  archivedTables,
  type CatalogueColumn,
  type CatalogueReference,
  conditionOf,
  type Loader,
  quoted,
  rowsPerBatch,
  type Snapshot,
} from './tables.ts';

const busyTimeoutMs = 5_000;
const readCacheKib = 8 * 1024;
const loadCacheKib = 32 * 1024;
const rowsPerStatement = 16;

/** Runs work on a file, and names the file in an error of SQLite. */
type Guard = <Result>(work: () => Result) => Result;

/** Opens a file, and closes it if `create` fails. */
function withFile<Created>(
  path: string,
  open: () => DatabaseSync,
  create: (database: DatabaseSync, guarded: Guard) => Created,
): Created {
  const guarded: Guard = (work) => {
    try {
      return work();
    } catch (error) {
      throw fromSqliteError(error, path);
    }
  };
  const database = guarded(open);
  try {
    return guarded(() => create(database, guarded));
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads the tables of a SQLite database from its catalogue (https://sqlite.org/pragma.html#pragfunc). */
function sqliteTables(database: DatabaseSync): ArchivedTable[] {
  const ofTables = `from sqlite_schema s, %s t where s.type = 'table' and s.name not like 'sqlite\\_%' escape '\\'`;
  // The driver does not know which columns a statement returns: those that each of these names.
  const columns = database
    .prepare(
      `select s.name as "table", t.name as "column", t.type as type ${ofTables.replace('%s', 'pragma_table_info(s.name)')} order by s.name, t.cid`,
    )
    .all() as unknown as CatalogueColumn[];
  const references = database
    .prepare(
      `select s.name as "table", t."table" as target ${ofTables.replace('%s', 'pragma_foreign_key_list(s.name)')}`,
    )
    .all() as unknown as CatalogueReference[];
  return archivedTables(columns, references);
}

/** Reads a SQLite file in one read transaction. Other connections continue to write to the write-ahead log. */
export function openSqliteSnapshot(path: string): Snapshot {
  const url = pathToFileURL(path);
  // Not read-only, because reading the write-ahead log of a killed service needs write access. Fails if the file is
  // missing.
  url.searchParams.set('mode', 'rw');
  const open = () =>
    new DatabaseSync(url, { timeout: busyTimeoutMs, defensive: true, enableDoubleQuotedStringLiterals: false });
  return withFile(path, open, (database, guarded) => {
    database.exec(`PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${readCacheKib}; BEGIN`);
    return createSnapshot(database, guarded);
  });
}

/** The first read determines the state that the read transaction sees. */
function createSnapshot(database: DatabaseSync, guarded: Guard): Snapshot {
  const newest = database.prepare('select max(name) as name from kysely_migration').get();
  return {
    schema: String(newest?.['name']),
    tables: sqliteTables(database),
    count(query) {
      const { text, values } = conditionOf(query, '?');
      const statement = database.prepare(`select count(*) as rows from ${query.from}${text}`);
      return Promise.resolve(Number(guarded(() => statement.get(...values))?.['rows']));
    },
    async *rows(query) {
      const { text, values } = conditionOf(query, '?');
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

/**
 * Empties the tables of a SQLite file and fills them. Nothing is flushed and no rollback is possible before `finish`,
 * which also creates the indexes: delete the file if `finish` does not succeed.
 */
export function openSqliteLoader(path: string): Loader {
  const open = () => new DatabaseSync(path, { enableForeignKeyConstraints: false });
  return withFile(path, open, (database, guarded) => createLoader(database, path, guarded));
}

function createLoader(database: DatabaseSync, path: string, guarded: Guard): Loader {
  database.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${loadCacheKib};
    PRAGMA trusted_schema = OFF; BEGIN`);
  const tables = sqliteTables(database);
  const indexes = database
    .prepare("select name, sql from sqlite_schema where type = 'index' and sql is not null")
    .all();
  for (const { name } of indexes) database.exec(`drop index ${quoted(String(name))}`);
  for (const { name } of tables) database.exec(`delete from ${quoted(name)}`);
  const insert = insertStatements(database);

  function finish(): ReadonlyMap<string, number> {
    for (const { sql } of indexes) database.exec(String(sql));
    const [orphan] = database.prepare('PRAGMA foreign_key_check').all();
    if (orphan !== undefined)
      throw new Error(`A row of ${orphan['table']} references a row of ${orphan['parent']} that does not exist.`);
    const counts = tables.map(({ name }) => {
      const counted = database.prepare(`select count(*) as rows from ${quoted(name)}`).get();
      return [name, Number(counted?.['rows'])] as const;
    });
    database.exec('COMMIT; PRAGMA journal_mode = WAL');
    return new Map(counts);
  }

  return {
    tables,
    insert: (table, rows) => Promise.try(() => guarded(() => insert(table, rows))),
    finish: () =>
      Promise.try(() => {
        const counts = guarded(finish);
        writeToDisk(path);
        return counts;
      }),
    close: () => Promise.resolve(database.close()),
  };
}

/** Returns a function that inserts rows. It prepares two statements per table. */
function insertStatements(database: DatabaseSync) {
  const statements = new Map<string, { readonly one: StatementSync; readonly many: StatementSync }>();
  return ({ name, columns }: ArchivedTable, rows: readonly (readonly SqlValue[])[]): void => {
    let inserts = statements.get(name);
    if (inserts === undefined) {
      const row = `(${columns.map(() => '?').join(', ')})`;
      const into = `insert into ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(', ')}) values `;
      const many = into + Array.from({ length: rowsPerStatement }, () => row).join(', ');
      inserts = { one: database.prepare(into + row), many: database.prepare(many) };
      statements.set(name, inserts);
    }
    let next = 0;
    for (; next + rowsPerStatement <= rows.length; next += rowsPerStatement) {
      inserts.many.run(...rows.slice(next, next + rowsPerStatement).flat());
    }
    for (const row of rows.slice(next)) inserts.one.run(...row);
  };
}

function writeToDisk(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

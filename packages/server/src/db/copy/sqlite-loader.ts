import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlValue } from '../database.ts';
import { fromSqliteError } from '../errors.ts';
import type { AppliedChanges, Applier, Loader } from './copy.ts';
import { sqliteDeleteWithKeys, sqliteRowsWithKeys, sqliteTables } from './sqlite-catalogue.ts';
import { type CopiedTable, quoted } from './tables.ts';

const rowsPerStatement = 16;
const cacheKib = 32 * 1024;

interface Statements {
  readonly one: StatementSync;
  readonly many: StatementSync;
}

function prepareInserts(database: DatabaseSync, { name, columns }: CopiedTable): Statements {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const into = `insert into ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(', ')}) values `;
  return {
    one: database.prepare(into + row),
    many: database.prepare(into + Array.from({ length: rowsPerStatement }, () => row).join(', ')),
  };
}

/** Returns a function that inserts rows. It prepares two statements per table. */
function insertStatements(database: DatabaseSync) {
  const statements = new Map<string, Statements>();
  return (table: CopiedTable, rows: readonly (readonly SqlValue[])[]): void => {
    let inserts = statements.get(table.name);
    if (inserts === undefined) {
      inserts = prepareInserts(database, table);
      statements.set(table.name, inserts);
    }
    let next = 0;
    for (; next + rowsPerStatement <= rows.length; next += rowsPerStatement) {
      inserts.many.run(...rows.slice(next, next + rowsPerStatement).flat());
    }
    for (const row of rows.slice(next)) inserts.one.run(...row);
  };
}

/** Runs work on a file, and names the file in an error of SQLite. */
type Guard = <Result>(work: () => Result) => Result;

/** Opens a file without foreign keys, and closes it if `create` fails. */
function openFile<Created>(path: string, create: (database: DatabaseSync, guarded: Guard) => Created): Created {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw fromSqliteError(error, path);
    }
  };
  const database = guarded(() => new DatabaseSync(path, { enableForeignKeyConstraints: false }));
  try {
    return guarded(() => create(database, guarded));
  } catch (error) {
    database.close();
    throw error;
  }
}

function writeToDisk(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Empties the tables of a SQLite file and fills them. Nothing is flushed and no rollback is possible before `finish`,
 * which also creates the indexes: delete the file if `finish` does not succeed.
 */
export function openSqliteLoader(path: string): Loader {
  return openFile(path, (database, guarded) => createLoader(database, path, guarded));
}

function createLoader(database: DatabaseSync, path: string, guarded: Guard): Loader {
  database.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${cacheKib}; PRAGMA trusted_schema = OFF;
    BEGIN`);
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

/**
 * Applies changes to a SQLite file. Foreign keys are not enforced: every row is compared with a database that enforces
 * them.
 */
export function openSqliteApplier(path: string): Applier {
  return openFile(path, createApplier);
}

function createApplier(database: DatabaseSync, guarded: Guard): Applier {
  database.exec(`PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${cacheKib}; PRAGMA secure_delete = ON`);
  const insert = insertStatements(database);
  const remove = sqliteDeleteWithKeys(database);
  const findRows = sqliteRowsWithKeys(database);
  const changes: AppliedChanges = {
    isReplacedInPlace: () => false,
    remove: (table, keys) => Promise.try(() => guarded(() => remove(table, keys))),
    put: (table, rows) => Promise.try(() => guarded(() => insert(table, rows))),
    rowsWithKeys: (table, keys) => Promise.try(() => guarded(() => findRows(table, keys))),
  };
  return {
    tables: sqliteTables(database),
    async transaction(work, { isLast }) {
      // The last transaction flushes the log, which contains all earlier ones.
      guarded(() => database.exec(`PRAGMA synchronous = ${isLast ? 'FULL' : 'NORMAL'}; BEGIN IMMEDIATE`));
      await work(changes);
      guarded(() => database.exec('COMMIT'));
    },
    close: () => Promise.resolve(database.close()),
  };
}

import { DatabaseSync } from 'node:sqlite';
import { fromSqliteError } from '../errors.ts';
import type { AppliedChanges, Applier } from './copy.ts';
import { sqliteTables } from './sqlite-catalogue.ts';
import { sqliteDeleteWithKeys, sqliteRowsWithKeys } from './sqlite-keys.ts';
import { insertStatements } from './sqlite-loader.ts';

const cacheKib = 32 * 1024;

/**
 * Applies changes to a SQLite file. Foreign keys are not enforced: every row is compared with a database that enforces
 * them.
 */
export function openSqliteApplier(path: string): Applier {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw fromSqliteError(error, path);
    }
  };
  const database = guarded(() => new DatabaseSync(path, { enableForeignKeyConstraints: false }));
  try {
    return guarded(() => createApplier(database, guarded));
  } catch (error) {
    database.close();
    throw error;
  }
}

function createApplier(database: DatabaseSync, guarded: <Result>(work: () => Result) => Result): Applier {
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

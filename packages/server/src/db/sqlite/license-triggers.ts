import type { DatabaseSync } from 'node:sqlite';
import type { WatchedChanges } from './watched-changes.ts';

const functionName = 'license_changed';

const columnsSql = 'select name from pragma_table_info(?)';

/**
 * Calls `onChange` with the id of the license of every row that this connection changes in `licenseColumns`. The
 * triggers are temporary, so they belong to the connection and not to the file. A rollback does not take calls back.
 * Returns false if a table is missing, or if a transaction is open, whose rollback would remove the triggers.
 */
export function createLicenseTriggers(
  database: DatabaseSync,
  { licenseColumns = {}, unwatchedColumns }: WatchedChanges,
  onChange: (licenseId: string) => void,
): boolean {
  if (database.isTransaction) return false;
  const columns = database.prepare(columnsSql);
  const statements: string[] = [];
  for (const [table, column] of Object.entries(licenseColumns)) {
    const names = columns.all(table).map(({ name }) => String(name));
    if (names.length === 0) return false;
    const watched = names.filter((name) => !unwatchedColumns.includes(`${table}.${name}`));
    const calls = { insert: ['new'], update: ['old', 'new'], delete: ['old'] };
    for (const [change, rows] of Object.entries(calls)) {
      const event = change === 'update' ? `update of ${watched.map(quoted).join(', ')}` : change;
      const call = rows.map((row) => `${functionName}(${row}.${quoted(column ?? '')})`).join(', ');
      statements.push(
        `create temp trigger ${quoted(`${table}_${change}`)} after ${event} on main.${quoted(table)}
         begin select ${call}; end`,
      );
    }
  }
  database.function(functionName, (licenseId) => {
    onChange(String(licenseId));
    return null;
  });
  database.exec(statements.join(';'));
  return true;
}

const quoted = (name: string) => `"${name}"`;

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type CopiedTable, quoted } from './tables.ts';

/** Returns a function that finds rows by keys (`Snapshot.rowsWithKeys`). It prepares one statement per table. */
export function sqliteRowsWithKeys(database: DatabaseSync) {
  const statements = new Map<string, StatementSync>();
  return (table: CopiedTable, keys: readonly string[]): string[] => {
    let statement = statements.get(table.name);
    if (statement === undefined) {
      const columns = table.columns.map(({ name }) => `found.${quoted(name)}`).join(', ');
      const isSame = table.key.map(({ name }, index) => `found.${quoted(name)} = k.value ->> ${index}`).join(' and ');
      // CROSS JOIN fixes the order of the tables: each key is looked up.
      statement = database.prepare(
        `select json_array(${columns}) from json_each(?) k cross join ${quoted(table.name)} found where ${isSame}`,
      );
      statement.setReturnArrays(true);
      statements.set(table.name, statement);
    }
    return statement.all(keysText(keys)).map((row) => String((row as unknown as readonly unknown[])[0]));
  };
}

/** Returns a function that deletes rows by keys. It prepares one statement per table. */
export function sqliteDeleteWithKeys(database: DatabaseSync) {
  const statements = new Map<string, StatementSync>();
  return (table: CopiedTable, keys: readonly string[]): void => {
    let statement = statements.get(table.name);
    if (statement === undefined) {
      const columns = table.key.map(({ name }) => quoted(name)).join(', ');
      const values = table.key.map((_column, index) => `value ->> ${index}`).join(', ');
      statement = database.prepare(
        `delete from ${quoted(table.name)} where (${columns}) in (select ${values} from json_each(?))`,
      );
      statements.set(table.name, statement);
    }
    statement.run(keysText(keys));
  };
}

/** Returns a JSON array of keys, each of which is the text of a JSON array. */
function keysText(keys: readonly string[]): string {
  return `[${keys.join(',')}]`;
}

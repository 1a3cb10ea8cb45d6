import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type CatalogueColumn, type CatalogueReference, type CopiedTable, copiedTables, quoted } from './tables.ts';

/** Reads the tables of a SQLite database from its catalogue (https://sqlite.org/pragma.html#pragfunc). */
export function sqliteTables(database: DatabaseSync): CopiedTable[] {
  const ofTables = `from sqlite_schema s, %s t where s.type = 'table' and s.name not like 'sqlite\\_%' escape '\\'`;
  const columns = database
    .prepare(
      `select s.name as "table", t.name as "column", t.type as type, t.pk as "keyPosition" ${ofTables.replace('%s', 'pragma_table_info(s.name)')} order by s.name, t.cid`,
    )
    .all() as unknown as CatalogueColumn[];
  const references = database
    .prepare(
      `select s.name as "table", t."table" as target ${ofTables.replace('%s', 'pragma_foreign_key_list(s.name)')}`,
    )
    .all() as unknown as CatalogueReference[];
  return copiedTables(columns, references);
}

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

import type { DatabaseSync } from 'node:sqlite';
import { type CatalogueColumn, type CatalogueReference, type CopiedTable, copiedTables } from './tables.ts';

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

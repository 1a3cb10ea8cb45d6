import type { CopyConnection } from './postgres-catalogue.ts';
import { type CopiedTable, quoted } from './tables.ts';

const castTypes = { text: 'text', integer: 'bigint' } as const;

function isSameKey({ key }: CopiedTable): string {
  return key
    .map(({ name, type }, index) => `found.${quoted(name)} = (k.value ->> ${index})::${castTypes[type]}`)
    .join(' and ');
}

/** Finds rows by keys (`Snapshot.rowsWithKeys`). */
export async function postgresRowsWithKeys(
  connection: CopyConnection,
  table: CopiedTable,
  keys: readonly string[],
): Promise<string[]> {
  const columns = table.columns.map(({ name }) => `found.${quoted(name)}`).join(', ');
  const rows = await connection.query<{ row: string }>(
    `select json_build_array(${columns})::text as row
      from json_array_elements($1::json) k(value) join ${quoted(table.name)} found on ${isSameKey(table)}`,
    [keysText(keys)],
  );
  return rows.map(({ row }) => row);
}

/** Deletes rows by keys. */
export async function postgresDeleteWithKeys(
  connection: CopyConnection,
  table: CopiedTable,
  keys: readonly string[],
): Promise<void> {
  await connection.query(
    `delete from ${quoted(table.name)} found using json_array_elements($1::json) k(value) where ${isSameKey(table)}`,
    [keysText(keys)],
  );
}

/** Returns a JSON array of keys, each of which is the text of a JSON array. */
function keysText(keys: readonly string[]): string {
  return `[${keys.join(',')}]`;
}

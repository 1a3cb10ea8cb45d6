import { type ChangedRows, type RowsQuery, rowsPerBatch } from './copy.ts';

// What both engines share in reading a capture.

/** Returns the query for the distinct changed rows of a log; the columns of a row are its table and its key. */
export function changedRowsQuery(log: string, condition: string): RowsQuery {
  const distinct = `select distinct table_name, row_key from ${log} where ${condition} order by table_name`;
  return { from: `(${distinct}) as changed`, columns: ['table_name', 'row_key'] };
}

/** Groups the rows of `changedRowsQuery` by table, in batches. */
export async function* groupChanges(batches: AsyncIterable<readonly string[]>): AsyncIterable<ChangedRows> {
  const waiting = new Map<string, string[]>();
  for await (const lines of batches) {
    for (const line of lines) {
      const [table, key] = JSON.parse(line) as [string, string];
      const keys = waiting.get(table) ?? [];
      keys.push(key);
      waiting.set(table, keys);
      if (keys.length < rowsPerBatch) continue;
      yield { table, keys };
      waiting.delete(table);
    }
  }
  for (const [table, keys] of waiting) yield { table, keys };
}

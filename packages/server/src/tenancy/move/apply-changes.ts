import type { AppliedChanges, Applier, ChangedRows, Snapshot } from '../../db/copy/copy.ts';
import type { CopiedTable } from '../../db/copy/tables.ts';
import type { SqlValue } from '../../db/database.ts';
import { rowParser } from '../archive/rows.ts';
import { assertSameRows, RowsDigest } from './copy-rows.ts';

/** A capture, and up to which of its positions a copy contains the changes. */
export interface CapturePosition {
  readonly captureId: string;
  readonly since: string;
}

/**
 * Brings a copy to the state of `source` in one transaction: every row that changed since the position is read again
 * in this state and replaced or deleted in the copy. So neither the order of the changes nor their number per row
 * matters. The written rows are read back and compared. Returns the number of changed rows.
 */
export async function applyChanges(
  source: Snapshot,
  applier: Applier,
  { captureId, since }: CapturePosition,
  { isLast }: { readonly isLast: boolean },
): Promise<number> {
  const tables = new Map(applier.tables.map((table) => [table.name, changedTable(table)]));
  const tableOf = ({ table: name }: ChangedRows): ChangedTable => {
    const table = tables.get(name);
    if (table === undefined) throw new Error(`The copy has no table ${name}: run the same version on all nodes.`);
    return table;
  };
  let count = 0;
  await applier.transaction(
    async (changes) => {
      // All deletions come first: an inserted row may have the unique value of a deleted or changed one.
      for await (const batches of inGroups(source.changes(captureId, since))) {
        await Promise.all(batches.map((batch) => remove(source, changes, tableOf(batch), batch)));
      }
      for await (const batches of inGroups(source.changes(captureId, since))) {
        await Promise.all(batches.map((batch) => replace(source, changes, tableOf(batch), batch)));
        count += batches.reduce((sum, { keys }) => sum + keys.length, 0);
      }
    },
    { isLast },
  );
  return count;
}

/** At least one batch of each table of a small difference, whose statements then do not wait for each other. */
const batchesPerGroup = 24;

async function* inGroups(batches: AsyncIterable<ChangedRows>): AsyncIterable<ChangedRows[]> {
  let group: ChangedRows[] = [];
  for await (const batch of batches) {
    group.push(batch);
    if (group.length < batchesPerGroup) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

interface ChangedTable {
  readonly table: CopiedTable;
  readonly parseRow: (line: string) => SqlValue[];
  readonly parseKey: (line: string) => SqlValue[];
  /** The places of the key's columns in a row. */
  readonly keyPlaces: readonly number[];
}

function changedTable(table: CopiedTable): ChangedTable {
  const names = table.columns.map(({ name }) => name);
  return {
    table,
    parseRow: rowParser(table.columns),
    parseKey: rowParser(table.key),
    keyPlaces: table.key.map(({ name }) => names.indexOf(name)),
  };
}

async function remove(
  source: Snapshot,
  changes: AppliedChanges,
  changed: ChangedTable,
  { keys }: ChangedRows,
): Promise<void> {
  const { table } = changed;
  await changes.remove(table, changes.isReplacedInPlace(table) ? await missingKeys(source, changed, keys) : keys);
}

/** Returns the keys without a row. */
async function missingKeys(
  source: Snapshot,
  { table, parseRow, parseKey, keyPlaces }: ChangedTable,
  keys: readonly string[],
): Promise<string[]> {
  const present = new Set<string>();
  for (const line of await source.rowsWithKeys(table, keys)) {
    const row = parseRow(line);
    present.add(textOf(keyPlaces.map((place) => row[place])));
  }
  return keys.filter((key) => !present.has(textOf(parseKey(key))));
}

/** The type of each column of a key is fixed, so that the text of its value is enough. */
function textOf(values: readonly unknown[]): string {
  return JSON.stringify(values.map(String));
}

async function replace(
  source: Snapshot,
  changes: AppliedChanges,
  { table, parseRow }: ChangedTable,
  { keys }: ChangedRows,
): Promise<void> {
  const rows = (await source.rowsWithKeys(table, keys)).map(parseRow);
  const [, lines] = await Promise.all([changes.put(table, rows), changes.rowsWithKeys(table, keys)]);
  const written = lines.map(parseRow);
  assertSameRows(new Map([[table.name, digestOf(rows)]]), new Map([[table.name, digestOf(written)]]));
}

function digestOf(rows: readonly (readonly SqlValue[])[]): string {
  const digest = new RowsDigest();
  digest.add(rows);
  return String(digest);
}

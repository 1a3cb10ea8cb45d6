import type { Loader, Snapshot } from '../../db/copy/copy.ts';
import { type CopiedTable, quoted } from '../../db/copy/tables.ts';
import type { SqlValue } from '../../db/database.ts';
import type { ArchiveProgress } from '../archive/progress.ts';
import { rowParser } from '../archive/rows.ts';
import { RowsDigest } from './rows-digest.ts';

/** The checksum of each table, by its name. */
export type Digests = ReadonlyMap<string, string>;

/** How many rows a database has. */
export async function countRows(snapshot: Snapshot): Promise<number> {
  let total = 0;
  for (const { name } of snapshot.tables) total += await snapshot.count({ from: quoted(name) });
  return total;
}

/** Copies every row of every table. Answers the checksums of what was read. */
export async function copyRows(source: Snapshot, loader: Loader, progress: ArchiveProgress): Promise<Digests> {
  assertSameTables(source, loader);
  return await readTables(source, loader.tables, progress, (table, rows) => loader.insert(table, rows));
}

/** Reads back what was written, by the tables of where it came from: the order of columns is theirs. */
export function digestRows(
  snapshot: Snapshot,
  tables: readonly CopiedTable[],
  progress: ArchiveProgress,
): Promise<Digests> {
  return readTables(snapshot, tables, progress, () => Promise.resolve());
}

/** Throws where a table is not the same in both. */
export function assertSameRows(source: Digests, target: Digests): void {
  for (const [table, digest] of source) {
    if (target.get(table) === digest) continue;
    throw new Error(
      `The copy of ${table} is not what was read (${target.get(table)} instead of ${digest}): nothing was changed. ` +
        'Check the disks and the memory of both machines, then run it again.',
    );
  }
}

async function readTables(
  snapshot: Snapshot,
  tables: readonly CopiedTable[],
  progress: ArchiveProgress,
  take: (table: CopiedTable, rows: SqlValue[][]) => Promise<void>,
): Promise<Digests> {
  const digests = new Map<string, string>();
  for (const table of tables) {
    const digest = new RowsDigest();
    const parse = rowParser(table.columns);
    const columns = table.columns.map(({ name }) => quoted(name));
    let taken = Promise.resolve();
    for await (const lines of snapshot.rows({ from: quoted(table.name), columns })) {
      const rows = lines.map(parse);
      digest.add(rows);
      // While one batch is written the next one is read.
      await taken;
      taken = take(table, rows);
      taken.catch(() => undefined);
      progress.advance(
        rows.length,
        lines.reduce((bytes, line) => bytes + line.length, 0),
      );
    }
    await taken;
    digests.set(table.name, String(digest));
  }
  return digests;
}

function assertSameTables(source: Snapshot, target: Pick<Loader, 'tables'>): void {
  const describe = (tables: readonly CopiedTable[]) =>
    tables
      .map(({ name, columns }) => `${name}(${columns.map((column) => `${column.name} ${column.type}`).sort()})`)
      .sort()
      .join(', ');
  if (describe(source.tables) === describe(target.tables)) return;
  throw new Error('The two databases have different tables: start the same version of this program everywhere.');
}

import { hash } from 'node:crypto';
import type { Loader, Snapshot } from '../../db/copy/copy.ts';
import { type CopiedTable, quoted } from '../../db/copy/tables.ts';
import type { SqlValue } from '../../db/database.ts';
import type { ArchiveProgress } from '../archive/progress.ts';
import { rowParser } from '../archive/rows.ts';

/** The checksum of each table, by its name. */
export type Digests = ReadonlyMap<string, string>;

/** Returns the total number of rows in a database. */
export async function countRows(snapshot: Snapshot): Promise<number> {
  let total = 0;
  for (const { name } of snapshot.tables) total += await snapshot.count({ from: quoted(name) });
  return total;
}

/** Copies every row of every table. Returns the checksums of the rows that were read. */
export async function copyRows(source: Snapshot, loader: Loader, progress: ArchiveProgress): Promise<Digests> {
  assertSameTables(source, loader);
  return await readTables(source, loader.tables, progress, (table, rows) => loader.insert(table, rows));
}

/**
 * Returns the checksums of a copy. `tables` must be those of the loader: the order of their columns affects a checksum.
 */
export function digestRows(
  snapshot: Snapshot,
  tables: readonly CopiedTable[],
  progress: ArchiveProgress,
): Promise<Digests> {
  return readTables(snapshot, tables, progress, () => Promise.resolve());
}

/** Throws when the checksum of a table differs. */
export function assertSameRows(source: Digests, target: Digests): void {
  for (const [table, digest] of source) {
    if (target.get(table) === digest) continue;
    throw new Error(
      `The copy of ${table} differs from the original (${target.get(table)} instead of ${digest}): nothing was changed. ` +
        'Check the disks and the memory of both machines, then run the command again.',
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
      // Reading the next batch overlaps with writing this one.
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
  throw new Error('The two databases have different tables: run the same version of this program on all nodes.');
}

/**
 * A checksum over rows that does not depend on their order: the number of rows and the sum of their SHA-256 hashes,
 * added as eight 32-bit words, each modulo 2^32. It is the same on both engines, because it is computed from parsed
 * values rather than from an engine's text format.
 */
export class RowsDigest {
  #rows = 0;
  readonly #sums = new Uint32Array(8);

  add(rows: readonly (readonly SqlValue[])[]): void {
    for (const row of rows) {
      const digest = hash('sha256', textOf(row), 'buffer');
      for (let index = 0; index < 8; index += 1)
        this.#sums[index] = (this.#sums[index] ?? 0) + digest.readUInt32LE(index * 4);
    }
    this.#rows += rows.length;
  }

  toString(): string {
    return `${this.#rows} rows ${Buffer.from(this.#sums.buffer).toString('hex')}`;
  }
}

/** A replacer costs three times as much as everything else here, so only rows with bigints use one. */
function textOf(row: readonly SqlValue[]): string {
  return row.some((value) => typeof value === 'bigint') ? JSON.stringify(row, bigintAsDigits) : JSON.stringify(row);
}

function bigintAsDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: String(value) } : value;
}

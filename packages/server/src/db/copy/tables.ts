import { ledgerTables } from '../migrations/ledger.ts';

/** A column of a copied table. Portable columns are text or 64-bit integers. */
export interface CopiedColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

/** A table as the database's own catalogue describes it. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** The columns of its primary key, in the order of the key. */
  readonly key: readonly CopiedColumn[];
  /** The tables that its foreign keys reference. */
  readonly references: readonly string[];
}

/** A row of a catalogue about a column. */
export interface CatalogueColumn {
  readonly table: string;
  readonly column: string;
  /** The declared type, such as `bigint`. */
  readonly type: string;
  /** The position of the column in the primary key, from 1; 0 if it is not part of the key. */
  readonly keyPosition: number;
}

/** A row of a catalogue about a foreign key. */
export interface CatalogueReference {
  readonly table: string;
  readonly target: string;
}

const columnTypes: Readonly<Record<string, CopiedColumn['type']>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
};

/**
 * Returns the tables of a catalogue without the ledger and without captures, each after the tables that it references, so that rows can be
 * inserted in this order. Throws for a column whose type is not portable, and for tables with cyclic references.
 */
export function copiedTables(
  columns: readonly CatalogueColumn[],
  references: readonly CatalogueReference[],
): CopiedTable[] {
  const isCopied = (table: string) => !ledgerTables.has(table) && !isCaptureTable(table);
  const names = new Set(columns.map(({ table }) => table).filter(isCopied));
  const tables = [...names].sort().map((name): CopiedTable => {
    const ofTable = columns.filter(({ table }) => table === name);
    const targets = references.filter(({ table }) => table === name).map(({ target }) => target);
    return { name, columns: ofTable.map(toColumn), key: keyOf(ofTable), references: [...new Set(targets)].sort() };
  });
  return inOrderOfReferences(tables);
}

function keyOf(columns: readonly CatalogueColumn[]): CopiedColumn[] {
  const inKey = columns.filter(({ keyPosition }) => keyPosition > 0);
  return inKey.sort((one, other) => one.keyPosition - other.keyPosition).map(toColumn);
}

function toColumn({ table, column, type }: CatalogueColumn): CopiedColumn {
  const copied = columnTypes[type.toLowerCase()];
  if (copied === undefined)
    throw new Error(`The column ${table}.${column} has the type ${type}, which is not portable.`);
  return { name: column, type: copied };
}

function inOrderOfReferences(tables: readonly CopiedTable[]): CopiedTable[] {
  const ordered: CopiedTable[] = [];
  const placed = new Set<string>();
  let waiting = tables;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ references }) => references.every((target) => placed.has(target)));
    if (ready.length === 0) {
      throw new Error(`The foreign keys of these tables form a cycle: ${waiting.map(({ name }) => name).join(', ')}.`);
    }
    for (const table of ready) placed.add(table.name);
    ordered.push(...ready);
    waiting = waiting.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

const captureTablePrefix = 'captured_changes_';

/** Returns the name of the table in which a SQLite database records the changes of a capture (capture.ts). */
export function captureTable(captureId: string): string {
  return captureTablePrefix + captureId;
}

function isCaptureTable(name: string): boolean {
  return name.startsWith(captureTablePrefix);
}

/** Quotes a name for SQL; the syntax is the same on both engines. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

import type { SqlValue } from '../database.ts';
import { ledgerTables } from '../migrations/ledger.ts';

/** A column of an archived table. Portable columns are text or 64-bit integers. */
export interface ArchivedColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

/** A table as the database's own catalogue describes it. */
export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly ArchivedColumn[];
  /** The tables that its foreign keys reference. */
  readonly references: readonly string[];
}

/** Which rows to read: all rows of a table or a join, or the rows with one value in a column. */
export interface RowsQuery {
  /** The SQL after FROM. It must consist of constants and quoted names, never of user input. */
  readonly from: string;
  /** The SQL of each column, under the same rule. */
  readonly columns: readonly string[];
  /** Reads only rows in which `column` has the value. */
  readonly where?: { readonly column: string; readonly value: string };
}

/** Returns the SQL after the name of the table, and its values. `placeholder` is the engine's, for the only value. */
export function conditionOf({ where }: Pick<RowsQuery, 'where'>, placeholder: '?' | '$1') {
  if (where === undefined) return { text: '', values: [] };
  return { text: ` where ${where.column} = ${placeholder}`, values: [where.value] };
}

/** A consistent state of a database. Its writers continue meanwhile. */
export interface Snapshot {
  /** The tables, each after the tables that it references. */
  readonly tables: readonly ArchivedTable[];
  /** The last migration that ran. */
  readonly schema: string;
  /** Counts rows. */
  count(query: Pick<RowsQuery, 'from' | 'where'>): Promise<number>;
  /**
   * Yields batches of up to 500 rows, each row as the text of a JSON array. The database builds the text, so that every
   * number is exact and no value is converted by JavaScript.
   */
  rows(query: RowsQuery): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

/** Fills a database that is not in use yet. */
export interface Loader {
  /** The tables, each after the tables that it references. */
  readonly tables: readonly ArchivedTable[];
  /** Inserts rows; the values are in the order of the table's columns. */
  insert(table: ArchivedTable, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /**
   * Creates the indexes, checks every foreign key, and flushes everything to the disk. Resolves with the number of rows
   * of each table. Throws if rows violate a unique index or a foreign key.
   */
  finish(): Promise<ReadonlyMap<string, number>>;
  /** Closes the connection, also without `finish`. */
  close(): Promise<void>;
}

/** Keeps migrations from starting in a database until it is closed. */
export interface MigrationGuard {
  /** Returns true if a migration waits for this guard. */
  isAwaited(): Promise<boolean>;
  close(): Promise<void>;
}

/** Maximum number of rows of a batch. */
export const rowsPerBatch = 500;

/** A row of a catalogue about a column. */
export interface CatalogueColumn {
  readonly table: string;
  readonly column: string;
  /** The declared type, such as `bigint`. */
  readonly type: string;
}

/** A row of a catalogue about a foreign key. */
export interface CatalogueReference {
  readonly table: string;
  readonly target: string;
}

const columnTypes: Readonly<Record<string, ArchivedColumn['type']>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
};

/**
 * Returns the tables of a catalogue without the ledger, each after the tables that it references, so that rows can be
 * inserted in this order. Throws for a column whose type is not portable, and for tables with cyclic references.
 */
export function archivedTables(
  columns: readonly CatalogueColumn[],
  references: readonly CatalogueReference[],
): ArchivedTable[] {
  const names = new Set(columns.map(({ table }) => table).filter((table) => !ledgerTables.has(table)));
  const tables = [...names].sort().map((name): ArchivedTable => {
    const ofTable = columns.filter(({ table }) => table === name);
    const targets = references.filter(({ table }) => table === name).map(({ target }) => target);
    return { name, columns: ofTable.map(toColumn), references: [...new Set(targets)].sort() };
  });
  return inOrderOfReferences(tables);
}

function toColumn({ table, column, type }: CatalogueColumn): ArchivedColumn {
  const portable = columnTypes[type.toLowerCase()];
  if (portable === undefined)
    throw new Error(`The column ${table}.${column} has the type ${type}, which is not portable.`);
  return { name: column, type: portable };
}

function inOrderOfReferences(tables: readonly ArchivedTable[]): ArchivedTable[] {
  const ordered: ArchivedTable[] = [];
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

/** Quotes a name for SQL; the syntax is the same on both engines. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

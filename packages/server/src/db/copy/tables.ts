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
  /** The tables that its foreign keys reference. */
  readonly references: readonly string[];
}

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

const columnTypes: Readonly<Record<string, CopiedColumn['type']>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
};

/**
 * Returns the tables of a catalogue without the ledger, each after the tables that it references, so that rows can be
 * inserted in this order. Throws for a column whose type is not portable, and for tables with cyclic references.
 */
export function copiedTables(
  columns: readonly CatalogueColumn[],
  references: readonly CatalogueReference[],
): CopiedTable[] {
  const names = new Set(columns.map(({ table }) => table).filter((table) => !ledgerTables.has(table)));
  const tables = [...names].sort().map((name): CopiedTable => {
    const ofTable = columns.filter(({ table }) => table === name);
    const targets = references.filter(({ table }) => table === name).map(({ target }) => target);
    return { name, columns: ofTable.map(toColumn), references: [...new Set(targets)].sort() };
  });
  return inOrderOfReferences(tables);
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

/** Quotes a name for SQL; the syntax is the same on both engines. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

import { ledgerTables } from '../migrations/ledger.ts';

/** A column as far as a copy is concerned: portable columns are text or whole numbers of 64 bits. */
export interface CopiedColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

/** A table as the database's own catalogue describes it. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** The tables that its foreign keys refer to. */
  readonly references: readonly string[];
}

/** What a catalogue says of one column. */
export interface CatalogueColumn {
  readonly table: string;
  readonly column: string;
  /** The declared type, such as `bigint`. */
  readonly type: string;
}

/** A foreign key of a catalogue. */
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
 * The tables of a catalogue, each after those that it refers to, so that rows can be written in this order. Throws for
 * a column of another type than the portable ones, and for tables that refer to each other in a circle.
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
      throw new Error(`These tables refer to each other in a circle: ${waiting.map(({ name }) => name).join(', ')}.`);
    }
    for (const table of ready) placed.add(table.name);
    ordered.push(...ready);
    waiting = waiting.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

/** A name in SQL; both engines quote it the same way. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

import type { SqlValue } from '../database.ts';
import type { CopiedTable } from './tables.ts';

/** What to read: the rows of a table, or of a join, all of them or those with one value. */
export interface RowsQuery {
  /** SQL after FROM, made of constants of the program and quoted names: never of anybody's input. */
  readonly from: string;
  /** SQL of the columns, likewise. */
  readonly columns: readonly string[];
  /** Only rows in which `column` has the value. */
  readonly where?: { readonly column: string; readonly value: string };
}

/** A database at one moment, while its writers go on. */
export interface Snapshot {
  /** Each after the tables that it refers to. */
  readonly tables: readonly CopiedTable[];
  /** The last migration that ran. */
  readonly schema: string;
  count(query: Pick<RowsQuery, 'from' | 'where'>): Promise<number>;
  /**
   * Batches of rows, each row as the text of a JSON array. The database writes the text, so that every number is
   * exact and no value passes through JavaScript.
   */
  rows(query: RowsQuery): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

/** A database whose readers go on and whose writers wait, or fail, until it is closed. */
export interface HeldDatabase extends Snapshot {
  /**
   * Makes the database refuse every change from now on (`TenantMovingError`), and lets the writers who waited go into
   * that refusal. A seal that is there already is replaced. Closed without a seal, it is as it was.
   */
  seal(sealId: string): Promise<void>;
}

/** Fills a database that nobody else uses yet. */
export interface Loader {
  /** Each after the tables that it refers to. */
  readonly tables: readonly CopiedTable[];
  insert(table: CopiedTable, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /**
   * Completes the indexes, checks every foreign key, and writes all to the disk. Answers how many rows each table
   * has. Throws when rows contradict each other.
   */
  finish(): Promise<ReadonlyMap<string, number>>;
  /** Closes the connection, finished or not. */
  close(): Promise<void>;
}

/** How many rows a batch has at most. */
export const rowsPerBatch = 500;

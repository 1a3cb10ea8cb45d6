import type { SqlValue } from '../database.ts';
import type { CopiedTable } from './tables.ts';

/** Which rows to read: all rows of a table or a join, or the rows with one value in a column. */
export interface RowsQuery {
  /** The SQL after FROM. It must consist of constants and quoted names, never of user input. */
  readonly from: string;
  /** The SQL of each column, under the same rule. */
  readonly columns: readonly string[];
  /** Reads only rows in which `column` has the value. */
  readonly where?: { readonly column: string; readonly value: string };
}

/** A consistent state of a database. Its writers continue meanwhile. */
export interface Snapshot {
  /** The tables, each after the tables that it references. */
  readonly tables: readonly CopiedTable[];
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

/** A consistent state of a database. Readers continue; writers wait or fail until it is closed. */
export interface HeldDatabase extends Snapshot {
  /**
   * Makes the database refuse every change from now on, also the changes that waited, with a `TenantMovingError`.
   * Replaces an existing seal. If the database is closed without this call, it accepts changes again.
   */
  seal(sealId: string): Promise<void>;
}

/** Fills a database that is not in use yet. */
export interface Loader {
  /** The tables, each after the tables that it references. */
  readonly tables: readonly CopiedTable[];
  /** Inserts rows; the values are in the order of the table's columns. */
  insert(table: CopiedTable, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /**
   * Creates the indexes, checks every foreign key, and flushes everything to the disk. Resolves with the number of rows
   * of each table. Throws if rows violate a unique index or a foreign key.
   */
  finish(): Promise<ReadonlyMap<string, number>>;
  /** Closes the connection, also without `finish`. */
  close(): Promise<void>;
}

/** Maximum number of rows of a batch. */
export const rowsPerBatch = 500;

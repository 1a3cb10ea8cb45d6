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

/** Rows of one table, each named by its primary key as the text of a JSON array. */
export interface ChangedRows {
  readonly table: string;
  /** Up to 500 keys. */
  readonly keys: readonly string[];
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
  /** Returns the rows with these keys that exist, as `rows` does, with the columns of `table` in their order. */
  rowsWithKeys(table: CopiedTable, keys: readonly string[]): Promise<readonly string[]>;
  /** Returns the position of this state in a capture, for `changes` of a later state. */
  position(captureId: string): Promise<string>;
  /** Returns how many rows changed between the position and this state; a changed key counts as two rows. */
  countChanges(captureId: string, since: string): Promise<number>;
  /** Yields the keys of the rows that changed between the position and this state, each once, in batches. */
  changes(captureId: string, since: string): AsyncIterable<ChangedRows>;
  close(): Promise<void>;
}

/** A connection with which a database can be held quickly. */
export interface Holder {
  /**
   * Holds the database. Throws a `DatabaseUnavailableError` if writers keep the lock for longer than `waitMs`; it can
   * be called again then, and after the held database was closed.
   */
  hold(waitMs: number): Promise<HeldDatabase>;
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

/** Applies later changes to a copy that a `Loader` filled and that is not in use yet. Each call is one transaction. */
export interface Applier {
  readonly tables: readonly CopiedTable[];
  /** Runs `work` in a transaction. Foreign keys are checked at its end; with `isLast` it also flushes to the disk. */
  transaction(work: (changes: AppliedChanges) => Promise<void>, options: { readonly isLast: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** The changes of one transaction of an `Applier`. */
export interface AppliedChanges extends Pick<Snapshot, 'rowsWithKeys'> {
  /** True if a changed row must be replaced by `put` without `remove`, because its deletion deletes further rows. */
  isReplacedInPlace(table: CopiedTable): boolean;
  /** Deletes the rows with these keys. */
  remove(table: CopiedTable, keys: readonly string[]): Promise<void>;
  /** Inserts rows; the values are in the order of the table's columns. */
  put(table: CopiedTable, rows: readonly (readonly SqlValue[])[]): Promise<void>;
}

/** Maximum number of rows of a batch. */
export const rowsPerBatch = 500;

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

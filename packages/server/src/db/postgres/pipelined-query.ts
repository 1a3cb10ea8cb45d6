import pg from 'pg';
import { types } from './client.ts';

/** A statement that is sent to PostgreSQL. */
export interface PostgresStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Prepares the statement under this name, once per connection. */
  readonly name?: string;
}

type Values = readonly (string | null)[];
type RowReader = (values: Values) => Record<string, unknown>;

/** How the rows of the statements that a connection has prepared are read, by the names of the statements. */
export type PreparedReaders = Map<string, RowReader>;

interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The functions of a connection of `pg` that send the messages of a statement. */
interface Messages {
  bind(parts: object): void;
  execute(parts: object): void;
  sync(): void;
}

/**
 * The parts of a query of `pg` 8 that are used or replaced here, and that its types do not declare. The contract tests of
 * `test/db` fail if another version lacks one.
 */
interface QueryParts {
  name: string | undefined;
  values: readonly unknown[];
  callback: (error: Error | null, result: pg.QueryResult) => void;
  readonly _result: { readonly rows: unknown[] };
  _canceledDueToError: unknown;
  prepare(connection: Messages): void;
}

const QueryOfPg = pg.Query as unknown as new (text: string) => QueryParts & pg.Submittable;

/**
 * A statement of a pipelined connection. `pg` has the server describe the columns of each result, which takes longer to
 * read than the row. The columns of a prepared statement cannot change, because PostgreSQL then refuses it, so their
 * description is read once per connection.
 */
export class PipelinedQuery extends QueryOfPg {
  readonly #readers: PreparedReaders;
  #readRow: RowReader | undefined;

  constructor({ text, values, name }: PostgresStatement, readers: PreparedReaders, callback: QueryParts['callback']) {
    super(text);
    this.name = name;
    this.values = values;
    this.callback = callback;
    this.#readers = readers;
    this.#readRow = name === undefined ? undefined : readers.get(name);
  }

  override prepare(connection: Messages): void {
    if (this.#readRow === undefined) super.prepare(connection);
    else {
      connection.bind({ statement: this.name, values: this.values, valueMapper: toParameter });
      connection.execute({});
      connection.sync();
    }
  }

  /** Called by `pg` with the description of the columns. */
  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#readRow = createReader(fields);
    if (this.name !== undefined) this.#readers.set(this.name, this.#readRow);
  }

  /** Called by `pg` with each row. */
  handleDataRow({ fields }: { readonly fields: Values }): void {
    if (this.#readRow === undefined || this._canceledDueToError) return;
    try {
      this._result.rows.push(this.#readRow(fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }
}

function toParameter(value: unknown): string | Buffer | null {
  if (typeof value === 'string' || value === null) return value;
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : String(value);
}

function createReader(columns: readonly Column[]): RowReader {
  const parsers = columns.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'));
  const names = columns.map(({ name }) => name);
  // A copy of it has its shape, so all rows of a statement have the same one.
  const empty: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, null]));
  return (values) => {
    const row = { ...empty };
    for (let index = 0; index < names.length; index += 1) {
      const value = values[index];
      if (value != null) row[names[index] as string] = parsers[index]?.(value);
    }
    return row;
  };
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

type Row = Readonly<Record<string, unknown>>;

/** A small SQLite database for the intermediate data of one task. Everything in it is synchronous. */
export interface ScratchDatabase {
  /** Runs statements without parameters. */
  script(sql: string): void;
  /** Runs a statement, which stays prepared, and returns the number of changed rows. */
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  /** Returns the first row of a query, which stays prepared. */
  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  /** Returns all rows of a query, which stays prepared. */
  all(sql: string, ...values: readonly SQLInputValue[]): Row[];
  close(): void;
}

/** Opens a file, which is created if it is missing. An empty path is a temporary file that SQLite removes. */
export function openScratch(path: string): ScratchDatabase {
  const database = new DatabaseSync(path, { timeout: 0 });
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    script: (sql) => database.exec(sql),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    get: (sql, ...values) => prepared(sql).get(...values),
    all: (sql, ...values) => prepared(sql).all(...values),
    close: () => database.close(),
  };
}

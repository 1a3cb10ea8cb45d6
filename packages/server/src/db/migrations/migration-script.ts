import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Engine } from '../database.ts';

/** Thrown for a migration whose statements depend on the database on which it runs. */
class NotRecordableError extends Error {
  constructor(sql: string) {
    super(`This statement depends on the database that it runs on: ${sql}`);
    this.name = 'NotRecordableError';
  }
}

/** Matches a function call. The excluded keywords may precede a bracket without being one. */
const functionCall = /\b(?!(?:in|and|or|not|where|from|select)\b)\w+\s*\(/i;

/**
 * Records the statements that `build` sends to an empty database, as one script. Returns undefined if they depend on
 * the database: `build` runs without one, so it may read, update and delete only rows of tables that are certainly
 * empty, and must write the same values to every database, which is why it may not pass values as parameters. A `do`
 * block may change no row of a table.
 */
export async function recordScript(
  engine: Engine,
  build: (db: Kysely<unknown>) => Promise<void>,
): Promise<string | undefined> {
  const recorder = new Recorder();
  try {
    await build(createRecordingKysely(engine, recorder));
    return recorder.statements.map((statement) => `${statement};`).join('\n');
  } catch (error) {
    if (error instanceof NotRecordableError) return undefined;
    throw error;
  }
}

/** For each statement that has no effect on empty tables: the keywords before the names of its tables. */
const tablesAffected: Readonly<Record<string, string>> = { select: 'from|join', update: 'update', delete: 'from' };

class Recorder implements DatabaseConnection {
  readonly statements: string[] = [];
  /** Tables that earlier statements created and that no statement wrote to. */
  readonly #empty = new Set<string>();

  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return Promise.try(() => {
      this.#record(sql, parameters);
      return { rows: [], numAffectedRows: 0n };
    });
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new NotRecordableError('a stream of rows');
  }

  #record(sql: string, parameters: readonly unknown[]): void {
    const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? '';
    const affected = tablesAffected[verb];
    if (affected !== undefined) {
      this.#assertEmpty(sql, tablesAfter(affected, sql));
      return;
    }
    if (parameters.length > 0) throw new NotRecordableError(sql);
    if (verb === 'insert') this.#noteInsert(sql);
    else if (verb === 'create' || verb === 'alter' || verb === 'drop' || verb === 'do') this.#noteDefinition(sql);
    else throw new NotRecordableError(sql);
    this.statements.push(sql);
  }

  /**
   * Throws unless the statement only touches empty tables and returns no row of its own, as `count(*)` or a union
   * would.
   */
  #assertEmpty(sql: string, tables: readonly string[]): void {
    const returnsOwnRow = functionCall.test(sql) || /\bunion\b/i.test(sql);
    if (returnsOwnRow || tables.length === 0 || tables.some((table) => !this.#empty.has(table))) {
      throw new NotRecordableError(sql);
    }
  }

  #noteInsert(sql: string): void {
    if (/\breturning\b/i.test(sql)) throw new NotRecordableError(sql);
    for (const table of tablesAfter('into', sql)) this.#empty.delete(table);
  }

  #noteDefinition(sql: string): void {
    if (/\brename\b/i.test(sql)) throw new NotRecordableError(sql);
    for (const table of tablesAfter('create table(?: if not exists)?', sql)) this.#empty.add(table);
  }
}

/** Returns the table names after a keyword: quoted, as Kysely writes them, or bare. */
function tablesAfter(keyword: string, sql: string): string[] {
  const pattern = new RegExp(`\\b(?:${keyword})\\s+("?)(\\w+)\\1`, 'gi');
  return Array.from(sql.matchAll(pattern), ([, , name = '']) => name);
}

function createRecordingKysely(engine: Engine, recorder: Recorder): Kysely<unknown> {
  const isPostgres = engine === 'postgres';
  const refuse = () => Promise.reject(new NotRecordableError('a transaction within a migration'));
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => (isPostgres ? new PostgresAdapter() : new SqliteAdapter()),
      createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
      createIntrospector: (db) => (isPostgres ? new PostgresIntrospector(db) : new SqliteIntrospector(db)),
      createDriver: () => ({
        init: () => Promise.resolve(),
        acquireConnection: () => Promise.resolve(recorder),
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
        releaseConnection: () => Promise.resolve(),
        destroy: () => Promise.resolve(),
      }),
    },
  });
}

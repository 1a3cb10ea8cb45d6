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

/** What a migration does cannot be known without the database that it runs on. */
class NotRecordableError extends Error {
  constructor(sql: string) {
    super(`This statement depends on the database that it runs on: ${sql}`);
    this.name = 'NotRecordableError';
  }
}

/** Words, such as those of a condition, that stand before a bracket and call no function. */
const functionCall = /\b(?!(?:in|and|or|not|where|from|select)\b)\w+\s*\(/i;

/**
 * The statements that make an empty database what `build` makes of it, as one script. Undefined when they cannot be
 * known beforehand: `build` is run on nothing, so it may read, update and delete only what is certain to be empty, and
 * what it writes must be the same for every database, which is why values may not be parameters.
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

/** What stands before the tables of statements that do nothing where these are empty. */
const tablesAffected: Readonly<Record<string, string>> = { select: 'from|join', update: 'update', delete: 'from' };

class Recorder implements DatabaseConnection {
  readonly statements: string[] = [];
  /** The tables that the statements before made, and nobody wrote to. */
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
    else if (verb === 'create' || verb === 'alter' || verb === 'drop') this.#noteDefinition(sql);
    else throw new NotRecordableError(sql);
    this.statements.push(sql);
  }

  /** A statement about empty tables does nothing and answers nothing, unless something in it answers by itself. */
  #assertEmpty(sql: string, tables: readonly string[]): void {
    const answersByItself = functionCall.test(sql) || /\bunion\b/i.test(sql);
    if (answersByItself || tables.length === 0 || tables.some((table) => !this.#empty.has(table))) {
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

/** The names behind a keyword, as migrations write them: quoted by Kysely, or bare. */
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

import { afterEach, beforeEach } from 'vitest';
import type { Database, PreparedRead } from '../../src/db/database.ts';
import { forUpdate } from '../../src/db/dialect.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

/** The table of these tests. */
export interface CounterTables {
  counters: { id: string; value: number };
}

/** Reads a counter's value by its id. */
export const counterById: PreparedRead<CounterTables, { value: number }> = {
  name: 'contract_counter_by_id',
  build: (query, parameter) => query.selectFrom('counters').select('value').where('id', '=', parameter(0)),
};

/** Gives each test of a file its own database with one counter `a` of value 0. */
export function useCounters() {
  let fresh: FreshDatabase | undefined;
  let db: Database<CounterTables> | undefined;
  const present = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The database exists only inside tests.');
    return value;
  };
  beforeEach(async () => {
    fresh = await freshDatabase();
    db = fresh.open<CounterTables>();
    await db.query.schema
      .createTable('counters')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .execute();
    await db.query.insertInto('counters').values({ id: 'a', value: 0 }).execute();
  });
  afterEach(() => fresh?.remove());
  return {
    get db() {
      return present(db);
    },
    /** The path of the file, or the URL. */
    get location() {
      return present(fresh).location;
    },
    /** Opens another handle to the same database, as another process would have. */
    open: () => present(fresh).open<CounterTables>(),
  };
}

/** Reads the value of the counter `a`. */
export const valueIn = async (database: Database<CounterTables>) => (await database.first(counterById, ['a']))?.value;

/** Reads, yields to the event loop, and writes: no update is lost only if transactions exclude each other. */
export function incrementSlowly(database: Database<CounterTables>): Promise<void> {
  return database.transaction(async (tx) => {
    const query = forUpdate(tx, tx.selectFrom('counters').select('value').where('id', '=', 'a'));
    const { value } = await query.executeTakeFirstOrThrow();
    await new Promise((resolve) => setImmediate(resolve));
    await tx
      .updateTable('counters')
      .set({ value: value + 1 })
      .where('id', '=', 'a')
      .execute();
  });
}

/** Resolves with the error of `work`; undefined if it succeeds. */
export async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

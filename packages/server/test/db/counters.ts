import { afterEach, beforeEach } from 'vitest';
import type { Database, PreparedRead } from '../../src/db/database.ts';
import { forUpdate } from '../../src/db/dialect.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

export interface CounterTables {
  counters: { id: string; value: number };
}

export const counterById: PreparedRead<CounterTables, { value: number }> = {
  name: 'contract_counter_by_id',
  build: (query, parameter) => query.selectFrom('counters').select('value').where('id', '=', parameter(0)),
};

/** Gives each test of a file a database of its own with one counter, `a`, at 0. */
export function useCounters() {
  let fresh: FreshDatabase | undefined;
  let db: Database<CounterTables> | undefined;
  const present = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The database is there only inside tests.');
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
    /** Another handle on the same database, as another process would have. */
    open: () => present(fresh).open<CounterTables>(),
  };
}

export const valueIn = async (database: Database<CounterTables>) => (await database.first(counterById, ['a']))?.value;

/** Reads, lets others run, and writes: exact only when the transaction excludes the others. */
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

/** What the work fails with; undefined when it succeeds. */
export async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

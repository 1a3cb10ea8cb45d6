import { describe, expect, test } from 'vitest';
import { isUnavailable } from '../../src/db/errors.ts';
import { insertRows } from '../../src/db/insert-rows.ts';
import { type CounterTables, counterById, errorOf, incrementSlowly, useCounters, valueIn } from './counters.ts';

const counters = useCounters();

/** Starts a bulk transaction that writes and stays open until `finish` or `fail` is called. */
function openBulk(value = 7) {
  const finish = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const done = counters.db.bulkTransaction(async (tx) => {
    await tx.updateTable('counters').set({ value }).execute();
    written.resolve();
    await finish.promise;
    return 'done';
  });
  // The test checks the failure of `done`; `written` must reject too, because it would never resolve.
  done.catch(written.reject);
  return { written: written.promise, done, finish: finish.resolve, fail: finish.reject };
}

describe('a bulk transaction', () => {
  test('a bulk transaction commits its changes and resolves with the result of its work', async () => {
    const bulk = openBulk();
    bulk.finish();
    expect([await bulk.done, await valueIn(counters.db)]).toEqual(['done', 7]);
  });

  test('reads run during a bulk transaction and do not see its changes before it commits', async () => {
    const bulk = openBulk();
    await bulk.written;
    const rows = await counters.db.query.selectFrom('counters').select('value').execute();
    expect([rows, await valueIn(counters.db)]).toEqual([[{ value: 0 }], 0]);
    bulk.finish();
    await bulk.done;
    expect(await valueIn(counters.db)).toBe(7);
  });

  test('no write during a bulk transaction is lost: statements, transactions and other bulk transactions', async () => {
    const bulk = openBulk();
    await bulk.written;
    const statement = counters.db.query
      .updateTable('counters')
      .set((eb) => ({ value: eb('value', '+', 100) }))
      .execute();
    const others = [incrementSlowly(counters.db), incrementSlowly(counters.db)];
    const another = counters.db.bulkTransaction(async (tx) => {
      await tx
        .updateTable('counters')
        .set((eb) => ({ value: eb('value', '+', 1000) }))
        .execute();
    });
    bulk.finish();
    await Promise.all([bulk.done, statement, another, ...others]);
    expect(await valueIn(counters.db)).toBe(1109);
  });

  test('a bulk transaction whose work throws is rolled back, and waiting transactions continue', async () => {
    const thrown = new Error('no');
    const bulk = openBulk();
    await bulk.written;
    const waiting = incrementSlowly(counters.db);
    bulk.fail(thrown);
    expect(await errorOf(bulk.done)).toBe(thrown);
    await waiting;
    expect(await valueIn(counters.db)).toBe(1);
    const again = openBulk(5);
    again.finish();
    await again.done;
    expect(await valueIn(counters.db)).toBe(5);
  });

  test('a bulk transaction with a failed statement commits nothing', async () => {
    const error = await errorOf(
      counters.db.bulkTransaction(async (tx) => {
        await tx.updateTable('counters').set({ value: 7 }).execute();
        await tx.insertInto('counters').values({ id: 'a', value: 1 }).execute();
      }),
    );
    expect(error).toBeInstanceOf(Error);
    await incrementSlowly(counters.db);
    expect(await valueIn(counters.db)).toBe(1);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a statement', () => counters.db.query.selectFrom('counters').selectAll().execute()],
    ['a prepared read', () => Promise.try(() => counters.db.first(counterById, ['a']))],
    ['a transaction', () => incrementSlowly(counters.db)],
    ['another bulk transaction', () => counters.db.bulkTransaction(() => Promise.resolve())],
  ])('a bulk transaction refuses %s outside it that its own work sends', async (_name, outside) => {
    const error = await errorOf(counters.db.bulkTransaction<unknown>(() => outside()));
    expect(String(error)).toContain('use the transaction instead');
    await incrementSlowly(counters.db);
    expect(await valueIn(counters.db)).toBe(1);
  });

  test('bulk transactions on two handles of one database run one at a time', async () => {
    const other = counters.open();
    const add = (database: typeof other) =>
      database.bulkTransaction(async (tx) => {
        const { value } = await tx
          .selectFrom('counters')
          .select('value')
          .where('id', '=', 'a')
          .executeTakeFirstOrThrow();
        await tx
          .updateTable('counters')
          .set({ value: value + 1 })
          .execute();
      });
    await Promise.all([add(counters.db), add(other), add(counters.db), add(other)]);
    expect(await valueIn(counters.db)).toBe(4);
  });

  test('other work of the process runs between the statements of a bulk transaction', async () => {
    let iterations = 0;
    const count = setInterval(() => {
      iterations += 1;
    }, 0);
    try {
      await counters.db.bulkTransaction(async (tx) => {
        while (iterations < 3) await tx.updateTable('counters').set({ value: iterations }).execute();
      });
    } finally {
      clearInterval(count);
    }
    expect(iterations).toBeGreaterThanOrEqual(3);
  });

  test('closing a database waits for bulk transactions and refuses later ones', async () => {
    const bulk = openBulk();
    await bulk.written;
    const waiting = counters.db.bulkTransaction(async (tx) => {
      await tx.insertInto('counters').values({ id: 'b', value: 1 }).execute();
    });
    const closed = counters.db.close();
    const late = await errorOf(counters.db.bulkTransaction(() => Promise.resolve()));
    bulk.finish();
    await Promise.all([bulk.done, waiting, closed]);
    expect(isUnavailable(late)).toBe(true);
    expect(await counters.open().query.selectFrom('counters').selectAll().orderBy('id').execute()).toEqual([
      { id: 'a', value: 7 },
      { id: 'b', value: 1 },
    ]);
  });
});

test.each([0, 1, 63, 64, 65, 200])('insertRows inserts %d rows unchanged', async (count) => {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: `row-${String(index).padStart(4, '0')}`,
    value: index,
  }));
  await counters.db.transaction((tx) => insertRows<CounterTables, 'counters'>(tx, 'counters', rows));
  const stored = await counters.db.query
    .selectFrom('counters')
    .selectAll()
    .where('id', '!=', 'a')
    .orderBy('id')
    .execute();
  expect(stored).toEqual(rows);
});

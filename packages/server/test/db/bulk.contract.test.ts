import { describe, expect, test } from 'vitest';
import { isUnavailable } from '../../src/db/errors.ts';
import { insertRows } from '../../src/db/insert-rows.ts';
import { type CounterTables, counterById, errorOf, incrementSlowly, useCounters, valueIn } from './counters.ts';

const counters = useCounters();

/** A bulk transaction that has written and stays open until `finish` is called. */
function openBulk(value = 7) {
  const finish = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const done = counters.db.bulkTransaction(async (tx) => {
    await tx.updateTable('counters').set({ value }).execute();
    written.resolve();
    await finish.promise;
    return 'done';
  });
  // A failure is the test's to look at; nobody shall wait for what will never be written.
  done.catch(written.reject);
  return { written: written.promise, done, finish: finish.resolve, fail: finish.reject };
}

describe('a bulk transaction', () => {
  test('commits what it did and answers what its work answers', async () => {
    const bulk = openBulk();
    bulk.finish();
    expect([await bulk.done, await valueIn(counters.db)]).toEqual(['done', 7]);
  });

  test('lets reads and prepared reads pass, which see nothing of it before it commits', async () => {
    const bulk = openBulk();
    await bulk.written;
    const rows = await counters.db.query.selectFrom('counters').select('value').execute();
    expect([rows, await valueIn(counters.db)]).toEqual([[{ value: 0 }], 0]);
    bulk.finish();
    await bulk.done;
    expect(await valueIn(counters.db)).toBe(7);
  });

  test('loses no write that comes while it runs: statements, transactions and other bulk transactions', async () => {
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

  test('that throws leaves nothing behind, and everything goes on after it', async () => {
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

  test('whose statement failed never commits a part', async () => {
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
  ])('refuses %s from inside it, beside it', async (_name, beside) => {
    const error = await errorOf(counters.db.bulkTransaction<unknown>(() => beside()));
    expect(String(error)).toContain('use the transaction instead');
    await incrementSlowly(counters.db);
    expect(await valueIn(counters.db)).toBe(1);
  });

  test('takes turns with those of another handle of the same database', async () => {
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

  test('lets other work of the process run between its statements', async () => {
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    try {
      await counters.db.bulkTransaction(async (tx) => {
        while (turns < 3) await tx.updateTable('counters').set({ value: turns }).execute();
      });
    } finally {
      clearInterval(count);
    }
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  test('is waited for by close, which refuses what comes after', async () => {
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

test.each([0, 1, 63, 64, 65, 200])('%d rows are inserted as they are, many with each statement', async (count) => {
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

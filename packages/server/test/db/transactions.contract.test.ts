import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isUnavailable } from '../../src/db/errors.ts';
import { counterById, errorOf, incrementSlowly, useCounters, valueIn } from './counters.ts';

const counters = useCounters();

describe('a transaction', () => {
  test('a transaction commits its changes and resolves with the result of its work', async () => {
    const result = await counters.db.transaction(async (tx) => {
      await tx.updateTable('counters').set({ value: 7 }).execute();
      return 'done';
    });
    expect([result, await valueIn(counters.db)]).toEqual(['done', 7]);
  });

  test('a transaction whose work throws is rolled back and rejects with that error', async () => {
    const thrown = new Error('no');
    const error = await errorOf(
      counters.db.transaction(async (tx) => {
        await tx.updateTable('counters').set({ value: 7 }).execute();
        throw thrown;
      }),
    );
    expect(error).toBe(thrown);
    expect(await valueIn(counters.db)).toBe(0);
    await incrementSlowly(counters.db);
    expect(await valueIn(counters.db)).toBe(1);
  });

  test('the changes of a transaction are invisible outside it until it commits', async () => {
    const other = counters.open();
    const seen: (number | undefined)[] = [];
    await counters.db.transaction(async (tx) => {
      await tx.updateTable('counters').set({ value: 7 }).execute();
      seen.push(await valueIn(other));
    });
    seen.push(await valueIn(counters.db), await valueIn(other));
    expect(seen).toEqual([0, 7, 7]);
  });

  test('40 concurrent transactions on one handle lose no update', async () => {
    await Promise.all(Array.from({ length: 40 }, () => incrementSlowly(counters.db)));
    expect(await valueIn(counters.db)).toBe(40);
  });

  test('40 concurrent transactions on two handles of one database lose no update', async () => {
    const other = counters.open();
    await Promise.all(Array.from({ length: 40 }, (_, index) => incrementSlowly(index % 2 === 0 ? counters.db : other)));
    expect([await valueIn(counters.db), await valueIn(other)]).toEqual([40, 40]);
  });

  test('single statements and prepared reads run between transactions', async () => {
    const running = Array.from({ length: 5 }, () => incrementSlowly(counters.db));
    const update = counters.db.query.updateTable('counters').set({ value: sql<number>`value + 100` }).execute();
    await Promise.all([...running, update, valueIn(counters.db)]);
    expect(await valueIn(counters.db)).toBe(105);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a statement', () => counters.db.query.selectFrom('counters').selectAll().execute()],
    ['a prepared read', () => Promise.try(() => counters.db.first(counterById, ['a']))],
    ['another transaction', () => incrementSlowly(counters.db)],
  ])('a transaction refuses %s outside it, which would wait for it for ever', async (_name, outside) => {
    const error = await errorOf(counters.db.transaction<unknown>(() => outside()));
    expect(String(error)).toContain('use the transaction instead');
    await incrementSlowly(counters.db);
    expect(await valueIn(counters.db)).toBe(1);
  });

  test('a transaction cannot be used after its end', async () => {
    const kept = await counters.db.transaction((tx) => Promise.resolve({ tx }));
    const error = await errorOf(kept.tx.updateTable('counters').set({ value: 9 }).execute());
    expect(error).toBeInstanceOf(Error);
    expect(await valueIn(counters.db)).toBe(0);
  });

  test('a transaction that continues after a failed statement commits nothing', async () => {
    const error = await errorOf(
      counters.db.transaction(async (tx) => {
        await tx.updateTable('counters').set({ value: 7 }).execute();
        await errorOf(sql`select * from no_such_table`.execute(tx));
        await tx.insertInto('counters').values({ id: 'b', value: 1 }).execute();
        throw new Error('stop');
      }),
    );
    expect(error).toBeInstanceOf(Error);
    const rows = await counters.db.query.selectFrom('counters').selectAll().execute();
    expect(rows.map((row) => [row.id, row.value])).toEqual([['a', 0]]);
  });
});

describe('closing', () => {
  test('closing a database waits for the running transaction and refuses later calls', async () => {
    const running = incrementSlowly(counters.db);
    const closed = counters.db.close();
    await running;
    await closed;
    const errors = await Promise.all([
      errorOf(counters.db.query.selectFrom('counters').selectAll().execute()),
      errorOf(Promise.try(() => counters.db.first(counterById, ['a']))),
      errorOf(incrementSlowly(counters.db)),
    ]);
    expect(errors.map(isUnavailable)).toEqual([true, true, true]);
    expect(await valueIn(counters.open())).toBe(1);
  });

  test('a database can be closed several times', async () => {
    await Promise.all([counters.db.close(), counters.db.close()]);
    await counters.db.close();
  });
});

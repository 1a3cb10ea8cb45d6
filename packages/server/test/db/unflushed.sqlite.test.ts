import { sql, type Transaction } from 'kysely';
import { expect, test } from 'vitest';
import { type CounterTables, counterById, useCounters } from './counters.ts';

const counters = useCounters();

/** The values of `PRAGMA synchronous`: FULL flushes each commit, NORMAL only the checkpoints. */
const flushed = 2;
const unflushed = 1;

async function synchronous(tx: Transaction<CounterTables>): Promise<number | undefined> {
  const { rows } = await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(tx);
  return rows[0]?.synchronous;
}

const insert = (tx: Transaction<CounterTables>, id: string) =>
  tx.insertInto('counters').values({ id, value: 1 }).execute();

/** Runs a transaction, and returns how it would be committed. */
const run = (id: string, mayLoseChanges: boolean) =>
  counters.db.transaction(
    async (tx) => {
      await insert(tx, id);
      return await synchronous(tx);
    },
    { mayLoseChanges },
  );

test('a transaction that may lose its changes commits without a flush, and is visible at once', async () => {
  expect(await run('buffered', true)).toBe(unflushed);
  expect((await counters.open().first(counterById, ['buffered']))?.value).toBe(1);
});

test('among concurrent transactions, each that must not lose its changes is flushed', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `row-${index}`);
  expect(await run('first', true)).toBe(unflushed);
  const states = await Promise.all(ids.map((id, index) => run(id, index % 3 === 0)));
  expect(states.filter((_state, index) => index % 3 !== 0)).toEqual(Array.from({ length: 40 }, () => flushed));
  const other = counters.open();
  for (const id of ids) expect((await other.first(counterById, [id]))?.value).toBe(1);
});

test('after a transaction that may lose its changes failed, the next one is flushed', async () => {
  const failing = counters.db.transaction(
    async (tx) => {
      await insert(tx, 'undone');
      throw new Error('changed its mind');
    },
    { mayLoseChanges: true },
  );
  await expect(failing).rejects.toThrow('changed its mind');
  expect(await run('kept', false)).toBe(flushed);
  expect(await counters.open().first(counterById, ['undone'])).toBeUndefined();
});

test('concurrent transactions that may lose their changes share a commit', async () => {
  const other = counters.open();
  const seen: unknown[] = [];
  const write = (id: string) =>
    counters.db.transaction(
      async (tx) => {
        await insert(tx, id);
        seen.push((await other.first(counterById, ['first']))?.value);
      },
      { mayLoseChanges: true },
    );
  await Promise.all(['first', 'second', 'third'].map(write));
  expect(seen).toEqual([undefined, undefined, undefined]);
  expect((await other.first(counterById, ['third']))?.value).toBe(1);
});

test('a single statement after a transaction that may lose its changes is flushed', async () => {
  await run('buffered', true);
  await counters.db.query.insertInto('counters').values({ id: 'single', value: 1 }).execute();
  const { rows } = await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(counters.db.query);
  expect(rows).toEqual([{ synchronous: flushed }]);
});

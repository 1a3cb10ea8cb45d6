import { stat } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database, PreparedRead } from '../../src/db/database.ts';
import { type CounterTables, counterById, useCounters } from './counters.ts';

// The reads of one iteration of the event loop share a read transaction.
const counters = useCounters();
/** A connection that this process does not know of, like that of another process. */
let foreign: DatabaseSync;

beforeEach(() => {
  foreign = new DatabaseSync(counters.location);
});

afterEach(() => foreign.close());

const addInAnotherProcess = (amount: number) => foreign.exec(`update counters set value = value + ${amount}`);

/** Reads the counter; no poll comes before the result. */
async function read(database: Database<CounterTables>): Promise<number | undefined> {
  return (await database.first(counterById, ['a']))?.value;
}

const add = (database: Database<CounterTables>, amount: number) =>
  database.query
    .updateTable('counters')
    .set((eb) => ({ value: eb('value', '+', amount) }))
    .where('id', '=', 'a')
    .execute();

/** Resolves in the next poll of the event loop, as a request that arrives does. */
const nextPoll = () => new Promise<void>((resolve) => stat('.', () => resolve()));

test('a read sees what another process has committed before the event loop polled', async () => {
  // A test may begin in the poll that also ends its first `stat`: the next one then ends in a later poll.
  await nextPoll();
  for (let value = 1; value <= 20; value += 1) {
    expect(await read(counters.db)).toBe(value - 1);
    addInAnotherProcess(1);
    await nextPoll();
    expect(await read(counters.db)).toBe(value);
  }
});

test('a read in a later phase of the iteration does not make the reads of the next poll older', async () => {
  for (let value = 1; value <= 20; value += 1) {
    await nextIteration();
    // Its transaction would end only after the next poll.
    expect(await read(counters.db)).toBe(value - 1);
    addInAnotherProcess(1);
    await nextPoll();
    expect(await read(counters.db)).toBe(value);
  }
});

test('a write of this process ends the shared reads, and the next read sees every commit', async () => {
  expect(await read(counters.db)).toBe(0);
  addInAnotherProcess(10);
  await read(counters.db);
  await add(counters.db, 1);
  expect(await read(counters.db)).toBe(11);
});

test('a read sees what another handle of this process has committed in the same iteration', async () => {
  const other = counters.open();
  for (let value = 1; value <= 20; value += 1) {
    expect(await read(counters.db)).toBe(value - 1);
    const seen = add(other, 1).then(() => read(counters.db));
    expect(await seen).toBe(value);
  }
});

test('a transaction of this process may follow reads, whatever another process has committed since', async () => {
  expect(await read(counters.db)).toBe(0);
  addInAnotherProcess(10);
  await read(counters.db);
  await counters.db.transaction(async (tx) => {
    await tx
      .updateTable('counters')
      .set((eb) => ({ value: eb('value', '+', 1) }))
      .execute();
  });
  expect(await read(counters.db)).toBe(11);
});

test('reads hold back the write-ahead log for one iteration only', async () => {
  await read(counters.db);
  await nextIteration();
  const other = counters.open();
  await add(other, 1);
  await other.forgetDeleted({ rebuild: false });
  expect(await read(counters.db)).toBe(1);
});

test('of reads that wait together, each gets its own row or its own failure', async () => {
  const missing: PreparedRead<CounterTables, { readonly value: number }> = {
    name: 'of-a-missing-table',
    build: (db) => db.selectFrom('counters').select(sql<number>`no_such_function()`.as('value')),
  };
  const other = counters.open();
  const results = await Promise.allSettled([
    counters.db.first(counterById, ['a']),
    counters.db.first(missing, []),
    other.first(counterById, ['b']),
  ]);
  expect(results).toMatchObject([
    { value: { value: 0 } },
    { reason: { message: expect.stringContaining('no_such_function') } },
    { value: undefined },
  ]);
});

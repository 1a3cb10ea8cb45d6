import { expect, test } from 'vitest';
import type { SqlValue } from '../../src/db/database.ts';
import { executeForEach } from '../../src/db/statements.ts';
import { useCounters, valueIn } from './counters.ts';

const counters = useCounters();

/** Adds each amount to the counter `a` in one transaction, which then fails if `fails` is true. */
function add(amounts: readonly SqlValue[], fails = false): Promise<void> {
  return counters.db.transaction(async (tx) => {
    const update = tx
      .updateTable('counters')
      .set((eb) => ({ value: eb('value', '+', 1) }))
      .where('id', '=', 'a')
      .compile();
    await executeForEach(
      tx,
      update,
      amounts.map((amount) => [amount, 'a']),
    );
    if (fails) throw new Error('changed its mind');
  });
}

test('a statement runs once for each list of parameters, within its transaction', async () => {
  await add([1, 10, 100]);
  expect(await valueIn(counters.open())).toBe(111);
  await expect(add([1000], true)).rejects.toThrow('changed its mind');
  await add([]);
  expect(await valueIn(counters.open())).toBe(111);
});

test('a parameter that the engines treat differently is refused before anything runs', async () => {
  await expect(add([1, Number.NaN])).rejects.toThrow('SQL parameter 1');
  expect(await valueIn(counters.db)).toBe(0);
});

import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isUnavailable } from '../../src/db/errors.ts';
import { counterById, errorOf, incrementSlowly, useCounters, valueIn } from './counters.ts';

// Waiting transactions share a COMMIT with earlier ones. Callers must notice no difference except the speed.
const counters = useCounters();

const ids = (count: number) => Array.from({ length: count }, (_, index) => `row-${index}`);

const insert = (id: string, value = 1) =>
  counters.db.transaction(async (tx) => {
    await tx.insertInto('counters').values({ id, value }).execute();
  });

async function storedIds(): Promise<string[]> {
  const rows = await counters.db.query.selectFrom('counters').select('id').where('id', '!=', 'a').execute();
  return rows.map((row) => row.id).sort();
}

/** Returns the ids whose transaction resolved. */
async function succeeded(work: readonly (readonly [id: string, Promise<unknown>])[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(work.map(([, promise]) => promise));
  return work.flatMap(([id], index) => (outcomes[index]?.status === 'fulfilled' ? [id] : [])).sort();
}

describe('transactions at the same time', () => {
  test('concurrent transactions resolve only after their changes are committed', async () => {
    const other = counters.open();
    const seen = ids(40).map(async (id) => {
      await insert(id, 7);
      return (await other.first(counterById, [id]))?.value;
    });
    expect(await Promise.all(seen)).toEqual(ids(40).map(() => 7));
  });

  test('a transaction that fails because of an uncommitted row rejects only after that row is committed', async () => {
    const other = counters.open();
    const [first, second] = [insert('taken'), insert('taken')];
    await expect(second).rejects.toThrow('UNIQUE');
    expect((await other.first(counterById, ['taken']))?.value).toBe(1);
    await first;
  });

  test('a failing transaction rolls back only its own changes', async () => {
    const work = ids(40).map((id, index) => {
      const throws = index % 3 === 0;
      const transaction = counters.db.transaction(async (tx) => {
        await tx.insertInto('counters').values({ id, value: 1 }).execute();
        if (throws) throw new Error('no');
      });
      return [id, transaction] as const;
    });
    const expected = ids(40).filter((_id, index) => index % 3 !== 0);
    expect(await succeeded(work)).toEqual(expected.sort());
    expect(await storedIds()).toEqual(expected.sort());
  });

  test('statements between concurrent transactions see only committed changes', async () => {
    const other = counters.open();
    const running = Array.from({ length: 40 }, () => incrementSlowly(counters.db));
    for (let round = 0; round < 20; round += 1) {
      const inside = await valueIn(counters.db);
      // Both reads are synchronous, so nothing is committed between them; the other handle must see at least as much.
      expect(await valueIn(other)).toBeGreaterThanOrEqual(inside ?? 0);
    }
    await Promise.all(running);
    expect(await valueIn(other)).toBe(40);
  });

  test('all transactions of a group reject when their COMMIT fails, and none takes effect', async () => {
    const { db } = counters;
    await sql`create table notes (counter_id text references counters (id))`.execute(db.query);
    const orphan = db.transaction(async (tx) => {
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      await sql`insert into notes values ('missing')`.execute(tx);
    });
    const work = [['orphan', orphan] as const, ...ids(5).map((id) => [id, insert(id)] as const)];
    expect(await succeeded(work)).toEqual([]);
    expect(await storedIds()).toEqual([]);
    await insert('later');
    expect(await storedIds()).toEqual(['later']);
  });

  test('exactly the transactions that resolve are stored when the disk is full', async () => {
    const { db } = counters;
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db.query);
    await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + 1}`).execute(db.query);
    const tooLong = 'x'.repeat(100_000);
    const named = [...ids(5), tooLong, ...ids(10).slice(5)];
    const work = named.map((id) => [id, insert(id)] as const);
    const refused = await work.find(([id]) => id === tooLong)?.[1].catch((error: unknown) => error);
    expect(isUnavailable(refused)).toBe(true);
    expect(await succeeded(work)).toEqual(await storedIds());
    expect((await storedIds()).length).toBeGreaterThanOrEqual(5);
  });
});

/** Runs all pending ticks and microtasks without returning to the event loop. */
async function settleTicks(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise(process.nextTick);
}

describe('transactions of one iteration of the event loop', () => {
  test('transactions of one iteration of the event loop share a COMMIT and resolve together', async () => {
    const other = counters.open();
    const resolved: string[] = [];
    const begin = (id: string) => insert(id).then(() => resolved.push(id));
    const first = begin('first');
    await settleTicks();
    const second = begin('second');
    await settleTicks();
    expect([resolved, await other.first(counterById, ['first'])]).toEqual([[], undefined]);
    await Promise.all([first, second]);
    expect(resolved).toEqual(['first', 'second']);
    expect(await other.first(counterById, ['second'])).toMatchObject({ value: 1 });
  });

  test('a read commits the waiting transactions immediately and sees their changes', async () => {
    const other = counters.open();
    const written = insert('first');
    await settleTicks();
    expect(await counters.db.first(counterById, ['first'])).toMatchObject({ value: 1 });
    expect(await other.first(counterById, ['first'])).toMatchObject({ value: 1 });
    await written;
  });

  test('waiting transactions are committed before the database is closed', async () => {
    const written = insert('first');
    await settleTicks();
    const db = counters.open();
    await counters.db.close();
    await written;
    expect(await db.first(counterById, ['first'])).toMatchObject({ value: 1 });
  });
});

describe('a SQLite database that is full', () => {
  test('a full database fails a transaction, whose later statements do not run outside it', async () => {
    await counters.db.query.insertInto('counters').values({ id: 'b', value: 1 }).execute();
    const pages = await sql<{ page_count: number }>`pragma page_count`.execute(counters.db.query);
    await sql.raw(`pragma max_page_count = ${pages.rows[0]?.page_count ?? 0}`).execute(counters.db.query);
    const error = await errorOf(
      counters.db.transaction(async (tx) => {
        await errorOf(
          tx
            .insertInto('counters')
            .values({ id: 'x'.repeat(100_000), value: 1 })
            .execute(),
        );
        await tx
          .insertInto('counters')
          .values({ id: 'x'.repeat(100_000), value: 1 })
          .execute();
      }),
    );
    expect(isUnavailable(error)).toBe(true);
    await incrementSlowly(counters.db);
    expect(await valueIn(counters.db)).toBe(1);
  });
});

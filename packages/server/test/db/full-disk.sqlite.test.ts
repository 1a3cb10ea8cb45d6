import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isUnavailable } from '../../src/db/errors.ts';
import { errorOf, incrementSlowly, useCounters, valueIn } from './counters.ts';

const counters = useCounters();

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
